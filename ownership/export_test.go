package ownership

// The two ways of [Decode], for tests that compare them.
var (
	DecodePlain = decodePlain
	DecodeAny   = decodeAny
)
