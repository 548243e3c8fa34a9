package procid

// isUUID reports whether s is a uuid as the kernel prints one: 8-4-4-4-12 lower-case hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if !isUUIDByte(i, s[i]) {
			return false
		}
	}
	return true
}

func isUUIDByte(i int, c byte) bool {
	if i == 8 || i == 13 || i == 18 || i == 23 {
		return c == '-'
	}
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
}
