package cli

import "holdfast/admin/evidence"

// manyBytes is how large uncompressed archives are that a person is told of: what is smaller
// is no reason to install anything.
const manyBytes = 16 << 20

// saved notes a snapshot that was taken on the way to something else, and whose page nobody
// sees. Once what the command kept uncompressed has become large, it says so, and why.
func (v *invocation) saved(dir string) {
	bytes, why := evidence.Uncompressed(dir)
	before := v.uncompressed
	v.uncompressed += bytes
	if before < manyBytes && v.uncompressed >= manyBytes {
		v.remark("%s of archives are kept uncompressed: %s", bytesOf(v.uncompressed), why)
	}
}
