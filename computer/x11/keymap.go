//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"slices"
	"unicode"

	"github.com/arcseat/arc/computer"
	"github.com/jezek/xgb/xproto"
)

// Modifier bits of a state, as core numbers them.
const (
	shiftMask   = 1 << 0
	lockMask    = 1 << 1
	controlMask = 1 << 2
	// Alt, Super and the like are mod1 to mod5; which is which differs.
	modsMask = 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7
)

const symNumLock = 0xff7f

// A keymap is what the keys mean at the moment, as core has it: for each code its
// symbols, first two of the first group, then two of the second, then the third and
// fourth level of each.
type keymap struct {
	first, per int
	syms       []xproto.Keysym
	mods       []xproto.Keycode // codes of the eight modifiers
	perMod     int
	group      int // that is on
	mask       uint16
}

// A stroke is how a symbol is pressed.
type stroke struct {
	code byte
	mods []byte // that go down before it
}

// keymap asks for all of it: it may have changed since the last time.
func (d *Desktop) keymap(ctx context.Context) (*keymap, error) {
	m := &keymap{}
	err := d.wire.call(ctx, func() error {
		setup := xproto.Setup(d.wire.x)
		keys := xproto.GetKeyboardMapping(d.wire.x, setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode+1))
		mods := xproto.GetModifierMapping(d.wire.x)
		pointer := xproto.QueryPointer(d.wire.x, d.root)
		k, err := keys.Reply()
		if err != nil {
			return err
		}
		o, err := mods.Reply()
		if err != nil {
			return err
		}
		p, err := pointer.Reply()
		if err != nil {
			return err
		}
		m.first, m.per, m.syms = int(setup.MinKeycode), int(k.KeysymsPerKeycode), k.Keysyms
		m.mods, m.perMod = o.Keycodes, int(o.KeycodesPerModifier)
		m.mask, m.group = p.Mask, int(p.Mask>>13&3)
		return nil
	})
	return m, err
}

// codes is how many codes there are.
func (m *keymap) codes() int {
	if m.per == 0 {
		return 0
	}
	return len(m.syms) / m.per
}

func (m *keymap) row(i int) []xproto.Keysym { return m.syms[i*m.per : (i+1)*m.per] }

// level is the symbol of row i at a level of the group that is on, 0 for none.
func (m *keymap) level(i, level int) uint32 {
	row, group := m.row(i), m.group
	if group > 1 || m.per < 4 || row[2] == 0 && row[3] == 0 {
		group = 0 // a key without a second group has its first one there
	}
	column := 2*group + level
	if level >= 2 {
		column = 4 + 2*group + level - 2
	}
	if column >= m.per {
		return 0
	}
	return canonical(uint32(row[column]))
}

// find looks for a symbol on the lowest level that has it.
func (m *keymap) find(sym uint32) (row, level int, ok bool) {
	sym = canonical(sym)
	levels := 4
	switch {
	case (computer.Key{Sym: sym}).Modifier():
		levels = 1 // a modifier under a shift would be two
	case m.group > 1 && (computer.Key{Sym: sym}).Rune() != 0:
		return 0, 0, false // core does not say what a third group has
	}
	for level := range levels {
		for i := range m.codes() {
			if m.level(i, level) == sym {
				return i, level, true
			}
		}
	}
	return 0, 0, false
}

// stroke is how sym is pressed while the modifiers of m.mask are on.
func (m *keymap) stroke(sym uint32) (stroke, bool) {
	i, level, ok := m.find(sym)
	if !ok {
		return stroke{}, false
	}
	s := stroke{code: byte(m.first + i)}
	other := m.level(i, level^1)
	switch {
	case keypad(sym) && keypad(other) && level < 2 && m.numLock():
		level ^= 1
	case m.mask&lockMask != 0 && m.mask&(controlMask|modsMask&^m.maskOf(symNumLock)) == 0 && level < 2 && twoCases(sym, other):
		level ^= 1
	}
	if level&1 != 0 && m.mask&shiftMask == 0 {
		if !m.with(&s, computer.SymShift) {
			return s, false
		}
	}
	if level&2 != 0 && m.mask&m.maskOf(computer.SymAltGr) == 0 {
		if !m.with(&s, computer.SymAltGr) {
			return s, false
		}
	}
	return s, true
}

// with adds a modifier to a stroke.
func (m *keymap) with(s *stroke, sym uint32) bool {
	i, _, ok := m.find(sym)
	if ok {
		s.mods = append(s.mods, byte(m.first+i))
	}
	return ok
}

func keypad(sym uint32) bool { return sym >= 0xff80 && sym <= 0xffbd }

// twoCases reports whether Caps Lock exchanges a and b.
func twoCases(a, b uint32) bool {
	ra, rb := (computer.Key{Sym: a}).Rune(), (computer.Key{Sym: b}).Rune()
	return ra != 0 && ra != rb && unicode.ToLower(ra) == unicode.ToLower(rb)
}

func (m *keymap) numLock() bool { return m.mask&m.maskOf(symNumLock) != 0 }

// maskOf is the bit of the modifier that the key of sym is, 0 if it is none.
func (m *keymap) maskOf(sym uint32) uint16 {
	for i, code := range m.mods {
		if n := int(code) - m.first; code != 0 && n >= 0 && n < m.codes() && slices.Contains(m.row(n), xproto.Keysym(sym)) {
			return 1 << (i / m.perMod)
		}
	}
	return 0
}

// spares are the codes that mean nothing.
func (m *keymap) spares() []byte {
	var codes []byte
	for i := range m.codes() {
		if !slices.ContainsFunc(m.row(i), func(s xproto.Keysym) bool { return s != 0 }) {
			codes = append(codes, byte(m.first+i))
		}
	}
	return codes
}

// koi8 are the characters of the keysyms 0x6c0 to 0x6ff, which layouts of Cyrillic
// scripts have instead of those of Unicode.
const koi8 = "юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"

// canonical is the one symbol for a character that has two.
func canonical(sym uint32) uint32 {
	switch {
	case sym >= 0x6c0 && sym <= 0x6ff:
		return computer.RuneSym([]rune(koi8)[sym-0x6c0])
	case sym == 0x6a3:
		return computer.RuneSym('ё')
	case sym == 0x6b3:
		return computer.RuneSym('Ё')
	case sym == 0x20ac:
		return computer.RuneSym('€')
	case sym > 0x1000000 && sym <= 0x10000ff:
		return sym - 0x1000000
	}
	return sym
}
