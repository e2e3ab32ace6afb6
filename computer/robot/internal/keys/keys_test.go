package keys

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sym   uint32
		name  string
		shift bool
	}{
		{'a', "a", false}, {'A', "a", true}, {'Z', "z", true}, {'7', "7", false}, {'&', "7", true},
		{'+', "=", true}, {'-', "-", false}, {'?', "/", true}, {'"', "'", true}, {'~', "`", true}, {'|', "\\", true}, {'`', "`", false},
		{0x20, "space", false}, {0xff0d, "enter", false}, {0xffff, "delete", false}, {0xffeb, "lcmd", false}, {0xff8d, "num_enter", false}, {0xffd5, "f24", false},
	} {
		name, shift, ok := Name(c.sym)
		if name != c.name || shift != c.shift || !ok {
			t.Errorf("%#x is %q, %v, %v; want %q, %v", c.sym, name, shift, ok, c.name, c.shift)
		}
	}
	for _, sym := range []uint32{0, 'é', 0x10020ac, 0xffd6, 0xff14} {
		if name, _, ok := Name(sym); ok {
			t.Errorf("%#x has the name %q", sym, name)
		}
	}
}

// A name with a capital would press shift, and then some key or other.
func TestNoNameHasACapital(t *testing.T) {
	t.Parallel()
	for sym, name := range named {
		if name != strings.ToLower(name) || name == "" {
			t.Errorf("%#x has the name %q", sym, name)
		}
	}
}

func TestFlag(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"lshift": "shift", "rctrl": "ctrl", "ralt": "alt", "lcmd": "cmd", "a": "", "enter": ""} {
		if got := Flag(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
