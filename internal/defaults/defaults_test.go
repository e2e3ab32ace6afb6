package defaults

import "testing"

func TestAnOptionThatSaysSomethingIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, positive, nonZero int }{
		{given: 0, positive: 7, nonZero: 7},
		{given: -1, positive: 7, nonZero: -1},
		{given: 3, positive: 3, nonZero: 3},
	} {
		positive, nonZero := c.given, c.given
		Positive(&positive, 7)
		NonZero(&nonZero, 7)
		if positive != c.positive || nonZero != c.nonZero {
			t.Errorf("%d becomes %d and %d; want %d and %d", c.given, positive, nonZero, c.positive, c.nonZero)
		}
	}
}
