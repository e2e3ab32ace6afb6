// Package defaults fills in what a host has left out of its options.
package defaults

import "time"

// Positive makes an option standard unless it is above zero: where nothing below
// means anything of its own, what is negative counts as left out.
func Positive[T int | int64 | time.Duration](option *T, standard T) {
	if *option <= 0 {
		*option = standard
	}
}

// NonZero makes an option standard if it is zero: below, it says something.
func NonZero[T int | int64 | time.Duration](option *T, standard T) {
	if *option == 0 {
		*option = standard
	}
}
