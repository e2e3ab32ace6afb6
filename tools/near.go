package tools

import (
	"cmp"
	"slices"
	"strings"
)

// near returns at most n of the candidates that name was probably meant to be,
// the nearest first.
func near(name string, candidates []string, n int) []string {
	type guess struct {
		name     string
		distance int
	}
	const maxName = 128 // the work grows with the square
	if name == "" || len(name) > maxName {
		return nil
	}
	flat := flatten(name)
	var guesses []guess
	for _, c := range candidates {
		if len(c) > maxName {
			continue
		}
		of := flatten(c)
		d := distance(flat, of)
		if short, long := flat, of; len(short) >= 3 && len(long) >= 3 {
			if len(short) > len(long) {
				short, long = long, short
			}
			if strings.HasPrefix(long, short) || strings.HasSuffix(long, short) {
				d = min(d, 1) // a namespace or a word too many or too few
			}
		}
		if d <= max(1, min(len(flat), len(of))/3) {
			guesses = append(guesses, guess{c, d})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, g := range guesses[:min(n, len(guesses))] {
		if g.distance <= guesses[0].distance+1 { // beside a good guess, a bad one only misleads
			names = append(names, g.name)
		}
	}
	return names
}

// flatten leaves out what people and models vary at will.
func flatten(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "/", "").Replace(s))
}

// distance counts the edits of a letter between a and b; two letters that
// changed places are one.
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
