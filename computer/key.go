package computer

import (
	"fmt"
	"strings"
)

// A Key is one key of a keyboard, by what it means and not by where it is.
type Key struct {
	Name string // as it is written in a chord: Return, a, F5, super
	Sym  uint32 // the X keysym; for a character that is [RuneSym]
}

// Keysyms of modifiers, by the names that this package gives them.
const (
	SymShift   = 0xffe1 // shift
	SymControl = 0xffe3 // ctrl
	SymAlt     = 0xffe9 // alt, option on a Mac
	SymSuper   = 0xffeb // super, command on a Mac, the Windows key
	SymAltGr   = 0xfe03 // altgr
)

// RuneSym is the keysym of a character: Latin-1 has those of its code points,
// \n, \t, \b and \x1b are keys, and all others are 0x1000000 and the code point.
func RuneSym(r rune) uint32 {
	switch {
	case r == '\n':
		return 0xff0d
	case r == '\t':
		return 0xff09
	case r == '\b':
		return 0xff08
	case r == '\x1b':
		return 0xff1b
	case r >= 0x20 && r <= 0x7e, r >= 0xa0 && r <= 0xff:
		return uint32(r)
	}
	return 0x1000000 + uint32(r)
}

// Rune is the character that k types, or 0 for a key that types none.
func (k Key) Rune() rune {
	switch s := k.Sym; {
	case s >= 0x20 && s <= 0x7e, s >= 0xa0 && s <= 0xff:
		return rune(s)
	case s > 0x1000000 && s <= 0x110ffff:
		return rune(s - 0x1000000)
	}
	return 0
}

// Modifier reports whether k changes what other keys mean while it is down.
func (k Key) Modifier() bool {
	switch k.Sym {
	case SymShift, SymControl, SymAlt, SymSuper, SymAltGr,
		0xffe2, 0xffe4, 0xffea, 0xffec, 0xffe7, 0xffe8, 0xffed, 0xffee:
		return true
	}
	return false
}

// KeyName is what this package calls the key of a keysym.
func KeyName(sym uint32) string {
	for _, k := range namedKeys {
		if k.sym == sym {
			name, _, _ := strings.Cut(k.names, " ")
			return name
		}
	}
	switch r := (Key{Sym: sym}).Rune(); {
	case r != 0:
		return string(r)
	case sym >= 0xffbe && sym <= 0xffe0:
		return fmt.Sprintf("F%d", sym-0xffbe+1)
	case sym >= 0xffb0 && sym <= 0xffb9:
		return fmt.Sprintf("KP_%d", sym-0xffb0)
	}
	return fmt.Sprintf("keysym_%x", sym)
}
