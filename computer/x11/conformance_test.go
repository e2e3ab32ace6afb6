//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"testing"

	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

func TestItKeepsTheRulesOfADesktop(t *testing.T) {
	t.Parallel()
	v := virtual(t, 640, 480)
	c := start(t, v)
	computertest.Run(t, func(t testing.TB) computer.Desktop {
		c.Text("")
		return connect(t, v)
	}, &computertest.Options{
		Typed: func(_ testing.TB, want string) string { return c.Text(want) },
	})
}
