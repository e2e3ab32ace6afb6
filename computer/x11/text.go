//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/cancel"
	"github.com/jezek/xgb/xproto"
)

const (
	typeGap  = 1 * time.Millisecond // after a character that a key has
	spareGap = 2 * time.Millisecond // after one that has a spare code
	slowdown = 4                    // times as much longer as a busy machine makes a wait
	maxSlow  = time.Second          // by no more than this, for either reason
)

// Text implements computer.Desktop.
func (d *Desktop) Text(ctx context.Context, s string) error {
	leave, err := d.keyboard(ctx)
	if err != nil {
		return err
	}
	defer leave()
	m, err := d.keymap(ctx)
	if err != nil {
		return err
	}
	if m.mask&lockMask != 0 && d.xkb != 0 {
		defer d.capsLock(context.WithoutCancel(ctx), true) // also if ctx ends while the server answers
		if err := d.capsLock(ctx, false); err != nil {
			return err
		}
		m.mask &^= lockMask
	}
	t := &typist{d: d, m: m, spares: m.spares()}
	if at, r, ok := t.untypable(s); ok {
		return &arc.Error{
			Code: computer.UntypableText, Message: fmt.Sprintf("this desktop's keyboard has no key for U+%04X, and no unused one to lend; nothing was typed.", r),
			Detail: map[string]any{"character": fmt.Sprintf("U+%04X", r), "at": at},
		}
	}
	err = t.text(ctx, []rune(s))
	t.restore(ctx)
	return err
}

// capsLock sets the lock without pressing its key.
func (d *Desktop) capsLock(ctx context.Context, on bool) error {
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	var locks byte
	if on {
		locks = lockMask
	}
	return d.wire.input(ctx, func() { d.lockModifiers(lockMask, locks) })
}

// A typist types one text. Characters that no key has get spare codes. The spares
// are two halves that take turns, each mapped at once and then typed from: a
// program that reads the new mapping late still finds in it what it has yet to
// read.
type typist struct {
	d      *Desktop
	m      *keymap
	spares []byte
	lent   map[rune]byte // what the codes mean now
	used   []byte        // codes that were mapped
	half   int           // that is next to be mapped
	slow   time.Duration // by how much waits have been too long
}

// untypable finds the first character that can be typed in no way.
func (t *typist) untypable(s string) (at int, r rune, found bool) {
	if len(t.spares) > 0 {
		return 0, 0, false
	}
	for _, r := range s {
		if _, ok := t.m.stroke(computer.RuneSym(r)); !ok {
			return at, r, true
		}
		at++
	}
	return 0, 0, false
}

// text types piece after piece, each as long as its new characters have room in
// half of the spare codes.
func (t *typist) text(ctx context.Context, s []rune) error {
	t.lent = make(map[rune]byte)
	for len(s) > 0 {
		n, fresh := t.piece(s)
		if len(fresh) > 0 {
			if err := t.lend(ctx, fresh); err != nil {
				return err
			}
		}
		for _, r := range s[:n] {
			if err := t.character(ctx, r); err != nil {
				return err
			}
		}
		s = s[n:]
	}
	return nil
}

// codes are those of half h; with a single spare both are that one.
func (t *typist) codes(h int) []byte {
	middle := (len(t.spares) + 1) / 2
	if h == 0 || len(t.spares) == 1 {
		return t.spares[:middle]
	}
	return t.spares[middle:]
}

// piece is how much of s can be typed next, and the characters of it that need a
// code. A character of the half that will be mapped anew counts as one without.
func (t *typist) piece(s []rune) (n int, fresh []rune) {
	next := t.codes(t.half)
	for i, r := range s {
		if _, ok := t.m.stroke(computer.RuneSym(r)); ok || slices.Contains(fresh, r) {
			continue
		}
		if c, ok := t.lent[r]; ok && (len(fresh) == 0 || !slices.Contains(next, c)) {
			continue
		}
		if len(fresh) == len(next) {
			return i, fresh
		}
		if len(fresh) == 0 && slices.ContainsFunc(s[:i], func(o rune) bool { return slices.Contains(next, t.lent[o]) }) {
			return i, nil // what comes before is typed from the codes that are due
		}
		fresh = append(fresh, r)
	}
	return len(s), fresh
}

// lend maps the half that is due, and waits until programs know.
func (t *typist) lend(ctx context.Context, fresh []rune) error {
	codes := t.codes(t.half)
	if len(t.used) > 0 {
		if err := t.wait(ctx, mapTime/2); err != nil { // for what was typed last
			return err
		}
	}
	for r, c := range t.lent {
		if slices.Contains(codes, c) {
			delete(t.lent, r)
		}
	}
	to := make(map[byte]uint32)
	for i, r := range fresh {
		t.lent[r] = codes[i]
		to[codes[i]] = computer.RuneSym(r)
		if !slices.Contains(t.used, codes[i]) {
			t.used = append(t.used, codes[i])
		}
	}
	t.half = 1 - t.half
	if err := t.d.remap(ctx, to); err != nil {
		return err
	}
	return t.wait(ctx, mapTime)
}

// wait waits longer on a machine that has more to run than processors, or on which
// waits take longer than they should: programs there are late as well.
func (t *typist) wait(ctx context.Context, d time.Duration) error {
	d = min(d*time.Duration(t.d.crowd()), max(d, maxSlow)) + min(slowdown*t.slow, maxSlow)
	begin := time.Now()
	err := cancel.Sleep(ctx, d)
	if late := time.Since(begin) - d; late > t.slow {
		t.slow = late
	} else {
		t.slow = (t.slow + max(late, 0)) / 2
	}
	return err
}

func (t *typist) character(ctx context.Context, r rune) error {
	s, ok := t.m.stroke(computer.RuneSym(r))
	gap := typeGap
	if !ok {
		s, gap = stroke{code: t.lent[r]}, spareGap
	}
	err := t.d.wire.input(ctx, func() {
		for _, mod := range s.mods {
			t.d.fakeInput(xproto.KeyPress, mod, 0, 0)
		}
		t.d.fakeInput(xproto.KeyPress, s.code, 0, 0)
		t.d.fakeInput(xproto.KeyRelease, s.code, 0, 0)
		for _, mod := range slices.Backward(s.mods) {
			t.d.fakeInput(xproto.KeyRelease, mod, 0, 0)
		}
	})
	if err != nil {
		return err
	}
	return cancel.Sleep(ctx, gap)
}

// restore empties the codes that were lent, once programs have had time to read
// what was typed with them.
func (t *typist) restore(ctx context.Context) {
	if len(t.used) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	_ = t.wait(ctx, restoreTime)
	t.d.giveBack(ctx, t.used...)
}
