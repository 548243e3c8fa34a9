package admin

import "iter"

// abreast does something with each of many, so many at once, and yields what came of it in
// their order. After ended is closed, or the loop over it ends, none is begun any more;
// when it returns, none is under way: the store may be closed next.
func abreast[T, R any](ended <-chan struct{}, width int, all []T, do func(T) R) iter.Seq2[T, R] {
	return func(yield func(T, R) bool) {
		left := make(chan struct{})
		answers := begun(ended, left, width, all, do)
		defer func() {
			close(left)
			for answer := range answers {
				<-answer
			}
		}()
		n := 0
		for answer := range answers {
			if !yield(all[n], <-answer) {
				return
			}
			n++
		}
	}
}

// begun begins with one after the other, as soon as there is room, and hands out their
// answers in order. Every answer that is handed out comes.
func begun[T, R any](ended, left <-chan struct{}, width int, all []T, do func(T) R) <-chan chan R {
	answers := make(chan chan R, width)
	assignments := make(chan assignment[T, R])
	go func() {
		defer close(answers)
		defer close(assignments)
		for n, x := range all {
			answer := make(chan R, 1)
			select {
			case <-ended:
				return
			case <-left:
				return
			case answers <- answer:
			}
			if n < width {
				go doEach(assignments, do)
			}
			assignments <- assignment[T, R]{x, answer}
		}
	}()
	return answers
}

type assignment[T, R any] struct {
	to     T
	answer chan<- R
}

// doEach does one after the other: a goroutine for each would have to grow its stack anew.
func doEach[T, R any](assignments <-chan assignment[T, R], do func(T) R) {
	for a := range assignments {
		a.answer <- do(a.to)
	}
}
