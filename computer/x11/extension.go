//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"encoding/binary"

	"github.com/jezek/xgb/xproto"
)

// The extensions' requests are made here, byte by byte, and not by the library's
// packages: those write to maps of the whole process when a connection begins to
// use them, which may end a host that has two displays.

// extension is the opcode of one, 0 if the server lacks it; to be used inside of
// wire.call.
func (w *wire) extension(name string) (byte, error) {
	r, err := xproto.QueryExtension(w.x, uint16(len(name)), name).Reply()
	if err != nil || !r.Present {
		return 0, err
	}
	return r.MajorOpcode, nil
}

// request begins one: opcodes, room for the length, and n more bytes.
func request(major, minor byte, n int) []byte {
	b := make([]byte, 4+n)
	b[0], b[1] = major, minor
	return b
}

// fakeInput is XTEST's FakeInput (XTEST protocol 2.2, section 4): an event of the
// given type, as core numbers them.
func (d *Desktop) fakeInput(event, detail byte, x, y int16) {
	b := request(d.xtest, 2, 32)
	b[4], b[5] = event, detail
	binary.LittleEndian.PutUint32(b[12:], uint32(d.root))
	binary.LittleEndian.PutUint16(b[24:], uint16(x))
	binary.LittleEndian.PutUint16(b[26:], uint16(y))
	d.wire.send(b)
}

// lockModifiers is XKB's LatchLockState for the core keyboard: it sets those locks
// of mask that are in locks and clears the others of it.
func (d *Desktop) lockModifiers(mask, locks byte) {
	const coreKeyboard = 0x100
	b := request(d.xkb, 5, 12)
	binary.LittleEndian.PutUint16(b[4:], coreKeyboard)
	b[6], b[7] = mask, locks
	d.wire.send(b)
}

// useXKB must come before any other request of XKB.
func (w *wire) useXKB(major byte) error {
	b := request(major, 0, 4)
	b[4], b[6] = 1, 0 // version 1.0
	_, err := w.ask(b)
	return err
}

// useXFixes asks for a version that has pictures of the pointer.
func (w *wire) useXFixes(major byte) error {
	b := request(major, 0, 8)
	b[4] = 1
	_, err := w.ask(b)
	return err
}
