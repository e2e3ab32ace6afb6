//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/computer"
	"github.com/jezek/xgb/xproto"
)

// hard is text that one layout or another has in odd places or not at all.
const hard = "az AZ 019 yY @ ~^`´ {}[] <>| /?!#$%&*()_+-=;:,. \"it's\" \\ x é漢😀 Привет ЁЖ ñÑ ß €\nnew\tline\n"

// symbols is the whole mapping.
func symbols(t testing.TB, d *Desktop) []xproto.Keysym {
	t.Helper()
	m, err := d.keymap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m.syms
}

// lockGroup switches to a group of the layout, as XKB's LatchLockState does.
func (d *Desktop) lockGroup(t *testing.T, group byte) {
	t.Helper()
	b := request(d.xkb, 5, 12)
	b[5] = 1 // 0x100, the core keyboard
	b[8], b[9] = 1, group
	if err := d.wire.input(t.Context(), func() { d.wire.send(b) }); err != nil {
		t.Fatal(err)
	}
}

// Typed by the places of an American keyboard, or by the first group alone, this
// comes out as other characters, or ends the program.
func TestTextArrivesOnEveryLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		layout []string
		set    func(*testing.T, *Desktop)
	}{
		{"us", []string{"us"}, nil},
		{"de", []string{"de"}, nil},
		{"fr", []string{"fr"}, nil},
		{"ru", []string{"ru"}, nil},
		{"gb", []string{"gb"}, nil},
		{"hu", []string{"hu"}, nil},
		{"dvorak", []string{"us", "-variant", "dvorak"}, nil},
		{"us and ru, with ru on", []string{"us,ru"}, func(t *testing.T, d *Desktop) { d.lockGroup(t, 1) }},
		{"three layouts, with the third on", []string{"us,ru,gr"}, func(t *testing.T, d *Desktop) { d.lockGroup(t, 2) }},
		{"Caps Lock on", []string{"us"}, capsOn},
		{"Caps Lock on, de", []string{"de"}, capsOn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := virtual(t, 320, 200)
			v.run(t, "setxkbmap", c.layout...)
			d := connect(t, v)
			if c.set != nil {
				c.set(t, d)
			}
			w := start(t, v)
			_, mask, err := d.state(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := symbols(t, d)
			if err := d.Text(t.Context(), hard); err != nil {
				t.Fatal(err)
			}
			if got := w.Text(hard); got != hard {
				t.Errorf("typed\n%q and\n%q arrived", hard, got)
			}
			if after := symbols(t, d); !slices.Equal(before, after) {
				t.Error("the mapping is another one afterwards")
			}
			if _, now, err := d.state(t.Context()); err != nil || now != mask {
				t.Errorf("the keyboard's state was %x and is %x, %v", mask, now, err)
			}
		})
	}
}

func capsOn(t *testing.T, d *Desktop) {
	if err := d.capsLock(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if _, mask, err := d.state(t.Context()); err != nil || mask&lockMask == 0 {
		t.Fatalf("Caps Lock is not on: %x, %v", mask, err)
	}
}

// chinese is n characters that are all different.
func chinese(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune(0x4e00 + 7*i))
	}
	return b.String()
}

// Characters that no key has swap places or vanish when their codes are mapped
// faster than programs read.
func TestManyCharactersThatNoKeyHas(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d, w := connect(t, v), start(t, v)
	before := symbols(t, d)
	for _, text := range []string{chinese(120), strings.Repeat("é漢字€ñ", 40), "a" + chinese(3) + "b" + chinese(30) + "c" + chinese(12)} {
		if err := d.Text(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if got := w.Text(text); got != text {
			t.Errorf("typed\n%s and\n%s arrived", text, got)
		}
	}
	if after := symbols(t, d); !slices.Equal(before, after) {
		t.Error("the mapping is another one afterwards")
	}
	if out := v.run(t, "xmodmap", "-pke"); strings.Contains(out, "U4E") {
		t.Errorf("xmodmap still shows a character:\n%s", out)
	}
}

func TestTypingIntoATerminal(t *testing.T) {
	t.Parallel()
	v := virtual(t, 640, 480)
	if _, err := exec.LookPath("xterm"); err != nil {
		t.Skip("xterm is not installed")
	}
	d := connect(t, v)
	dir := t.TempDir()
	typed, ready := filepath.Join(dir, "typed"), filepath.Join(dir, "ready")
	c := exec.Command("xterm", "-u8", "-geometry", "100x30+0+0", "-e", "sh", "-c", "stty -icanon -echo; touch '"+ready+"'; exec cat > '"+typed+"'")
	c.Env = append(os.Environ(), append(v.Env(), "LC_ALL=C.UTF-8")...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		c.Process.Kill()
		c.Wait()
	}()
	if err := d.MoveTo(t.Context(), middle(t, d)); err != nil { // where the focus is
		t.Fatal(err)
	}
	within(t, "the terminal", func() bool { _, err := os.Stat(ready); return err == nil })
	var got []byte
	for _, text := range []string{"first", "az AZ @ ~^ {}[] é漢😀 €\n", chinese(120)} {
		if err := d.Text(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		want := string(got) + text
		within(t, "the text", func() bool { got, _ = os.ReadFile(typed); return len(got) >= len(want) })
		if string(got) != want {
			t.Fatalf("typed\n%q and\n%q arrived", want, got)
		}
	}
}

// within waits for something that comes soon.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(guard / 3); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Logf("waited in vain for %s", what)
			return
		}
	}
}

// What was not typed for a cancel must not leave the keyboard in a strange state.
func TestTypingThatIsCanceledPutsTheKeyboardRight(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d := connect(t, v)
	start(t, v)
	capsOn(t, d)
	before := symbols(t, d)
	for _, after := range []time.Duration{0, 5, 20, 40, 90, 200} {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		err := d.Text(ctx, "Aa{"+chinese(120))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d ms: %v", after, err)
		}
		if !slices.Equal(before, symbols(t, d)) {
			t.Errorf("after %d ms the mapping is another one", after)
		}
		if held, err := d.Held(t.Context()); err != nil || len(held) != 0 {
			t.Errorf("after %d ms held is %v, %v", after, held, err)
		}
		if _, mask, err := d.state(t.Context()); err != nil || mask&lockMask == 0 {
			t.Errorf("after %d ms Caps Lock is off: %x, %v", after, mask, err)
		}
	}
}

func TestKeysOfALayoutThatLacksThem(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	v.run(t, "setxkbmap", "ru")
	d, w := connect(t, v), start(t, v)
	before := symbols(t, d)
	press := func(keys ...computer.Key) {
		t.Helper()
		for _, k := range keys {
			if err := d.Key(t.Context(), k, true); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range slices.Backward(keys) {
			if err := d.Key(t.Context(), k, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	press(computer.Key{Name: "ctrl", Sym: computer.SymControl}, computer.Key{Name: "c", Sym: 'c'})
	press(computer.Key{Name: "F13", Sym: 0xffca})
	w.Saw("key ctrl state 0", "key c state 4", "key F13 state 0")
	if !slices.Equal(before, symbols(t, d)) {
		t.Error("the mapping is another one afterwards")
	}
}

func TestKeysArriveAsTheyAreNamed(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d, w := connect(t, v), start(t, v)
	for _, c := range []struct {
		name string
		sym  uint32
		want []string
	}{
		{"Return", 0xff0d, []string{"key Return state 0"}},
		{"Delete is not shift and Delete", 0xffff, []string{"key Delete state 0"}},
		{"a capital", 'A', []string{"key shift state 0", "key A state 1"}},
		{"plus", '+', []string{"key shift state 0", "key plus state 1"}},
		{"KP_7", 0xffb7, []string{"key shift state 0", "key KP_7 state 1"}},
		{"KP_Enter", 0xff8d, []string{"key KP_Enter state 0"}},
		{"Page_Down", 0xff56, []string{"key Page_Down state 0"}},
		{"super", computer.SymSuper, []string{"key super state 0"}},
		{"alt", computer.SymAlt, []string{"key alt state 0"}},
		{"Menu", 0xff67, []string{"key Menu state 0"}},
		{"a volume key", 0x1008ff12, []string{"key XF86AudioMute state 0"}},
		{"é", 0xe9, []string{"key eacute state 0"}},
	} {
		k := computer.Key{Name: c.name, Sym: c.sym}
		if err := d.Key(t.Context(), k, true); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := d.Key(t.Context(), k, false); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		w.Saw(c.want...)
	}
}

// A modifier that was locked by somebody else is left as it is, and a letter is
// still the one that was asked for.
func TestASingleKeyUnderCapsLock(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	d, w := connect(t, v), start(t, v)
	capsOn(t, d)
	for _, r := range "aB7" {
		k := computer.Key{Name: string(r), Sym: computer.RuneSym(r)}
		if err := d.Key(t.Context(), k, true); err != nil {
			t.Fatal(err)
		}
		if err := d.Key(t.Context(), k, false); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Text("aB7"); got != "aB7" {
		t.Errorf("%q arrived", got)
	}
}

// The right Alt key of a German keyboard is another symbol than that of an American
// one, and must not end the program.
func TestAltGrOnAGermanKeyboard(t *testing.T) {
	t.Parallel()
	v := virtual(t, 320, 200)
	v.run(t, "setxkbmap", "de")
	d, w := connect(t, v), start(t, v)
	altgr, q := computer.Key{Name: "altgr", Sym: computer.SymAltGr}, computer.Key{Name: "q", Sym: 'q'}
	for _, c := range []struct {
		k    computer.Key
		down bool
	}{{altgr, true}, {q, true}, {q, false}, {altgr, false}, {computer.Key{Name: "Alt_R", Sym: 0xffea}, true}, {computer.Key{Name: "Alt_R", Sym: 0xffea}, false}} {
		if err := d.Key(t.Context(), c.k, c.down); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	w.Saw("key altgr state 0", "key at state 80", "key Alt_R state 0")
}

// A connection for every call exhausts the server, which takes a few hundred.
func TestManyCallsUseOneConnection(t *testing.T) {
	t.Parallel()
	v := virtual(t, 64, 48)
	d := connect(t, v)
	var f computer.Frame
	for range 600 {
		if err := d.Capture(t.Context(), image.Rect(0, 0, 64, 48), &f); err != nil {
			t.Fatal(err)
		}
		if err := d.Text(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	connect(t, v)
}
