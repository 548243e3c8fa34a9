package powerloss

import "math/rand/v2"

// images calls yield with the images that the disk may be, each decision enumerated
// like the digits of a number. If there are more than most, some are chosen by chance;
// cut reports it.
func (d *disk) images(most int, chance *rand.Rand, yield func(image)) (cut bool) {
	var digits, sizes []int
	for n := 0; n < most; n++ {
		at := 0
		yield(d.after(func(size int) int {
			if at == len(digits) {
				digits, sizes = append(digits, 0), append(sizes, size)
			}
			sizes[at] = size
			at++
			return digits[at-1]
		}))
		if !next(digits, sizes) {
			return false
		}
	}
	for range most {
		yield(d.after(chance.IntN))
	}
	return true
}

// next counts digits up, and reports whether there was a next number.
func next(digits, sizes []int) bool {
	for i := range digits {
		if digits[i]++; digits[i] < sizes[i] {
			return true
		}
		digits[i] = 0
	}
	return false
}
