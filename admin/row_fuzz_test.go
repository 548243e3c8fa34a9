package admin

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// I12: what a row of a batch is taken for is what every reader of JSON takes it for,
// and nothing panics. The rest of the seeds is committed beside it.
func FuzzRow(f *testing.F) {
	const digest = "3f796163ebf94718de1cd7582655c012f995c06f1e6970ea2bdc15bcd88a324a"
	f.Add([]byte(`{"key":null,"keyDigest":"` + digest + `","revision":"` + digest + `"}`))
	f.Add([]byte(`{"key":"other","keyDigest":"` + digest + `","revision":"` + digest + `"}`))
	f.Add([]byte(`{"keydigest":"` + digest + `","revision":"` + digest + `"}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(` {"a" : [{"revision":"}"}], "key\u0044igest":"1","revision":1.5e3 , "b":"\\\"","revision":2,"key":{},"keyDigest":[]} `))
	f.Fuzz(func(t *testing.T, b []byte) {
		sameMembers(t, b)
		row, err := parseRow(b)
		if err != nil {
			return
		}
		var all map[string]any
		require.NoError(t, json.Unmarshal(b, &all))
		require.Equal(t, all["keyDigest"], row.target.Digest.String())
		require.Equal(t, all["revision"], row.revision.String())
		if key, named := all["key"].(string); named {
			require.Equal(t, key, row.target.Key.String())
			require.Equal(t, row.target.Key.Digest(), row.target.Digest)
		}
	})
}

// sameMembers compares what was found in place with what the library takes apart.
func sameMembers(t *testing.T, b []byte) {
	found, err := membersOf(b)
	var all map[string]json.RawMessage
	wrong := json.Unmarshal(b, &all)
	require.Equal(t, wrong == nil, err == nil)
	if err == nil {
		require.Equal(t, rowMembers{all["key"], all["keyDigest"], all["revision"]}, found)
	}
}
