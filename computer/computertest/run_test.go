package computertest_test

import (
	"testing"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

func TestTheFakeKeepsTheRules(t *testing.T) {
	t.Parallel()
	var f *computertest.Fake
	computertest.Run(t, func(testing.TB) computer.Desktop {
		f = computertest.New(320, 200)
		return f
	}, &computertest.Options{
		Typed: func(testing.TB, string) string {
			got := f.Typed()
			f.Forget()
			return got
		},
	})
}
