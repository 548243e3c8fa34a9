package ownership

// The two ways of [Decode] and of [Encode], for tests that compare them.
var (
	DecodePlain = decodePlain
	DecodeAny   = decodeAny
	EncodePlain = encodePlain
	EncodeAny   = encodeAny
)
