package computertest_test

import (
	"testing"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

func TestTheFakeKeepsTheRules(t *testing.T) {
	t.Parallel()
	var f *computertest.Fake
	computertest.Run(t, computertest.Harness{
		Open: func(*testing.T) computer.Desktop {
			f = computertest.New(320, 200)
			return f
		},
		Typed: func(*testing.T, string) string {
			got := f.Typed()
			f.Forget()
			return got
		},
	})
}
