//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"slices"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/internal/cancel"
	"github.com/jezek/xgb/xproto"
)

const (
	mapTime     = 30 * time.Millisecond // programs get to hear of a new mapping
	restoreTime = 60 * time.Millisecond // and to read what was typed before it goes
	undoTime    = 3 * time.Second       // for putting the keyboard right when nobody waits any more
)

// keyboard waits for its turn at the keyboard.
func (d *Desktop) keyboard(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case d.input <- struct{}{}:
		return func() { <-d.input }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Key implements computer.Desktop. A key that the layout lacks has a spare code
// while it is down.
func (d *Desktop) Key(ctx context.Context, k computer.Key, down bool) error {
	leave, err := d.keyboard(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if down {
		return d.press(ctx, k)
	}
	return d.lift(ctx, k)
}

func (d *Desktop) press(ctx context.Context, k computer.Key) error {
	m, err := d.keymap(ctx)
	if err != nil {
		return err
	}
	if k.Sym == 0 {
		return unknownKey(k)
	}
	s, ok := m.stroke(k.Sym)
	if !ok {
		spares := m.spares()
		if len(spares) == 0 {
			return unknownKey(k)
		}
		s = stroke{code: spares[len(spares)-1]}
		d.borrowed = append(d.borrowed, s.code)
		if err := d.remap(ctx, map[byte]uint32{s.code: k.Sym}); err != nil {
			return err
		}
		if err := cancel.Sleep(ctx, mapTime); err != nil {
			d.giveBack(ctx, s.code)
			return err
		}
	}
	d.pressed[k.Sym] = s
	return d.wire.input(ctx, func() {
		for _, mod := range s.mods {
			d.fakeInput(xproto.KeyPress, mod, 0, 0)
		}
		d.fakeInput(xproto.KeyPress, s.code, 0, 0)
	})
}

func unknownKey(k computer.Key) error {
	return &arc.Error{
		Code: computer.UnknownKey, Message: "this desktop's keyboard has no such key; nothing was pressed, so use another.",
		Detail: map[string]string{"key": k.Name},
	}
}

func (d *Desktop) lift(ctx context.Context, k computer.Key) error {
	s, ok := d.pressed[k.Sym]
	if !ok { // somebody else's
		m, err := d.keymap(ctx)
		if err != nil {
			return err
		}
		if s, ok = m.stroke(k.Sym); !ok {
			return nil
		}
		s.mods = nil
	}
	err := d.wire.input(ctx, func() {
		d.fakeInput(xproto.KeyRelease, s.code, 0, 0)
		for _, mod := range slices.Backward(s.mods) {
			d.fakeInput(xproto.KeyRelease, mod, 0, 0)
		}
	})
	if err != nil {
		return err
	}
	delete(d.pressed, k.Sym)
	if slices.Contains(d.borrowed, s.code) {
		err = cancel.Sleep(ctx, restoreTime)
		d.giveBack(ctx, s.code)
	}
	return err
}

// giveBack empties spare codes, also when ctx has ended.
func (d *Desktop) giveBack(ctx context.Context, codes ...byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	empty := make(map[byte]uint32, len(codes))
	for _, c := range codes {
		empty[c] = 0
	}
	if d.remap(ctx, empty) == nil {
		d.borrowed = slices.DeleteFunc(d.borrowed, func(c byte) bool { return slices.Contains(codes, c) })
	}
}

// remap gives codes a symbol, the same with shift and without: with one alone, the
// server would take a capital for the shifted level of its small letter.
func (d *Desktop) remap(ctx context.Context, to map[byte]uint32) error {
	return d.wire.input(ctx, func() {
		for code, sym := range to {
			xproto.ChangeKeyboardMapping(d.wire.x, 1, xproto.Keycode(code), 2, []xproto.Keysym{xproto.Keysym(sym), xproto.Keysym(sym)})
		}
	})
}

// down are the codes of keys and the buttons that are down.
func (d *Desktop) down(ctx context.Context) (codes []byte, buttons []computer.Button, err error) {
	err = d.wire.call(ctx, func() error {
		k, err := xproto.QueryKeymap(d.wire.x).Reply()
		if err != nil {
			return err
		}
		for i, b := range k.Keys {
			for bit := range 8 {
				if b&(1<<bit) != 0 {
					codes = append(codes, byte(8*i+bit))
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	_, mask, err := d.state(ctx)
	for b, n := range xButtons {
		if n != 0 && mask&(xproto.KeyButMaskButton1<<(n-1)) != 0 {
			buttons = append(buttons, computer.Button(b))
		}
	}
	return codes, buttons, err
}

// Held implements computer.Holder.
func (d *Desktop) Held(ctx context.Context) ([]string, error) {
	codes, buttons, err := d.down(ctx)
	if err != nil {
		return nil, err
	}
	return d.names(ctx, codes, buttons)
}

func (d *Desktop) names(ctx context.Context, codes []byte, buttons []computer.Button) ([]string, error) {
	var names []string
	for _, b := range buttons {
		names = append(names, b.String()+"_button")
	}
	if len(codes) == 0 {
		return names, nil
	}
	m, err := d.keymap(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range codes {
		i := int(c) - m.first
		if i >= 0 && i < m.codes() {
			names = append(names, computer.KeyName(m.level(i, 0)))
		}
	}
	return names, nil
}

// Release implements computer.Holder.
func (d *Desktop) Release(ctx context.Context) ([]string, error) {
	leave, err := d.keyboard(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	codes, buttons, err := d.down(ctx)
	if err != nil || len(codes)+len(buttons) == 0 {
		return nil, err
	}
	names, err := d.names(ctx, codes, buttons)
	if err != nil {
		return nil, err
	}
	err = d.wire.input(ctx, func() {
		for _, b := range buttons {
			d.fakeInput(xproto.ButtonRelease, xButtons[b], 0, 0)
		}
		for _, c := range codes {
			d.fakeInput(xproto.KeyRelease, c, 0, 0)
		}
	})
	clear(d.pressed)
	if len(d.borrowed) > 0 {
		d.giveBack(ctx, slices.Clone(d.borrowed)...)
	}
	return names, err
}
