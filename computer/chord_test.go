package computer

import (
	"errors"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// spell writes chords as their keys' names.
func spell(chords []chord) string {
	var all []string
	for _, c := range chords {
		var names []string
		for _, k := range c {
			names = append(names, k.Name)
		}
		all = append(all, strings.Join(names, "+"))
	}
	return strings.Join(all, " ")
}

func TestKeysAreKnownByEveryName(t *testing.T) {
	t.Parallel()
	table := newKeyTable()
	for text, want := range map[string]string{
		"Return": "Return", "return": "Return", "Enter": "Return", "ENTER": "Return", "KP_Enter": "KP_Enter",
		"Page_Down": "Page_Down", "PageDown": "Page_Down", "pgdn": "Page_Down", "Next": "Page_Down",
		"ArrowUp": "Up", "Up": "Up", "Esc": "Escape", "del": "Delete", "BackSpace": "BackSpace", "bksp": "BackSpace",
		"space": "space", " ": "space", "  ": "space", "ISO_Left_Tab": "ISO_Left_Tab", "XF86AudioMute": "XF86AudioMute",
		"cmd+c": "super+c", "command+C": "super+c", "win+r": "super+r", "meta+l": "super+l", "Super_L": "super",
		"option+Left": "alt+Left", "Control+a": "ctrl+a", "ctrl+A": "ctrl+a", "ctrl+shift+T": "ctrl+shift+t",
		"A": "A", "é": "é", "€": "€", "漢": "漢", "+": "+", "ctrl++": "ctrl++", "ctrl+plus": "ctrl+plus", "plus": "plus",
		"shift++": "shift++", "ctrl+minus": "ctrl+minus", "-": "-", "comma": "comma", "ctrl+,": "ctrl+,",
		"F5": "F5", "f12": "F12", "F35": "F35", "KP_7": "KP_7", "numpad7": "KP_7", "AltGr+q": "altgr+q",
		"Down Down Return": "Down Down Return", "ctrl+alt+Delete": "ctrl+alt+Delete", "Menu": "Menu", "Caps_Lock": "Caps_Lock",
	} {
		got, err := table.chords(text)
		if err != nil || spell(got) != want {
			t.Errorf("%q is %q, %v; want %q", text, spell(got), err, want)
		}
	}
}

func TestKeysHaveTheirSymbols(t *testing.T) {
	t.Parallel()
	table := newKeyTable()
	for text, want := range map[string]uint32{
		"Return": 0xff0d, "Tab": 0xff09, "F1": 0xffbe, "F12": 0xffc9, "a": 'a', "A": 'A', "é": 0xe9, "€": 0x10020ac, "漢": 0x1006f22,
		"ctrl": SymControl, "shift": SymShift, "KP_0": 0xffb0, "KP_9": 0xffb9, "plus": '+', "space": ' ', "😀": 0x101f600, "Delete": 0xffff,
	} {
		got, err := table.chords(text)
		if err != nil || len(got) != 1 || got[0][0].Sym != want {
			t.Errorf("%q is %v, %v; want %#x", text, got, err, want)
		}
	}
}

// Key names that a desktop does not know must not come out as letters or vanish.
func TestAnUnknownKeyIsRefusedWithTheNearest(t *testing.T) {
	t.Parallel()
	table := newKeyTable()
	for text, near := range map[string]string{
		"Retrun": "Return", "PgeDown": "Page_Down", "contrl+a": "ctrl", "ctrl-c": "ctrl", "Esape": "Escape", "F99": "F9", "supre+s": "super",
	} {
		_, err := table.chords(text)
		if !errors.Is(err, UnknownKey) || !strings.Contains(err.Error(), near) {
			t.Errorf("%q: %v, want %s", text, err, near)
		}
	}
	_, err := table.chords("qqqqqqqqqqqqqqq")
	if !errors.Is(err, UnknownKey) || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("what is like nothing: %v", err)
	}
	for _, text := range []string{"", "ctrl+ctrl+a", "ctrl+A+a", strings.Repeat("Down ", 21), "a+b+c+d+e+f+g+h+i+j+k"} {
		if _, err := table.chords(text); !errors.Is(err, arc.InvalidArguments) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAClickTakesModifiersOnly(t *testing.T) {
	t.Parallel()
	table := newKeyTable()
	if got, err := table.modifiers("ctrl+Shift"); err != nil || spell([]chord{got}) != "ctrl+shift" {
		t.Errorf("ctrl+Shift is %v, %v", got, err)
	}
	if got, err := table.modifiers(" "); err != nil || got != nil {
		t.Errorf("a blank is %v, %v", got, err)
	}
	if _, err := table.modifiers("hello"); !errors.Is(err, UnknownKey) {
		t.Errorf("a word: %v", err)
	}
	if _, err := table.modifiers("a"); !errors.Is(err, arc.InvalidArguments) {
		t.Errorf("a letter: %v", err)
	}
}

// Two names of one key would make a suggestion of the wrong one.
func TestEachNameIsOneKey(t *testing.T) {
	t.Parallel()
	seen := map[string]uint32{}
	for _, k := range namedKeys {
		for n := range strings.FieldsSeq(k.names) {
			n = strings.ToLower(n)
			if other, ok := seen[n]; ok && other != k.sym {
				t.Errorf("%s is %#x and %#x", n, other, k.sym)
			}
			seen[n] = k.sym
		}
	}
}

func FuzzChords(f *testing.F) {
	for _, s := range []string{"ctrl++", "+", "a+", "++", "ctrl+shift+T Down", "\x00", "ctrl+\xff", "+ +"} {
		f.Add(s)
	}
	table := newKeyTable()
	f.Fuzz(func(t *testing.T, s string) {
		chords, err := table.chords(s)
		if err != nil {
			if !errors.Is(err, UnknownKey) && !errors.Is(err, arc.InvalidArguments) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		for _, c := range chords {
			if len(c) == 0 {
				t.Errorf("%q has an empty chord", s)
			}
			for _, k := range c {
				if k.Sym == 0 || k.Name == "" {
					t.Errorf("%q has the key %+v", s, k)
				}
			}
		}
	})
}
