//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"syscall"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/gen2brain/shm"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Requests of MIT-SHM.
const (
	shmAttach   = 1
	shmDetach   = 2
	shmGetImage = 4
)

const (
	zPixmap   = 2
	allPlanes = 0xffffffff
	maxSide   = 1<<15 - 1 // of a screen
)

// A segment is memory that the server and we share. It is kept from one picture to
// the next, and goes with the process that has it, however that ends.
type segment struct {
	id   uint32 // the server's name for it
	data []byte
}

func (s *segment) free() {
	if s != nil && s.data != nil {
		_ = shm.Dt(s.data)
		s.data = nil
	}
}

// Capture implements computer.Desktop.
func (d *Desktop) Capture(ctx context.Context, r image.Rectangle, f *computer.Frame) error {
	return d.View(ctx, r, func(seen *computer.Frame) {
		f.Resize(seen.W, seen.H)
		f.Order = seen.Order
		copy(f.Pix, seen.Pix)
	})
}

// View implements computer.Viewer.
func (d *Desktop) View(ctx context.Context, r image.Rectangle, look func(*computer.Frame)) error {
	limit := time.NewTimer(answerTime)
	defer limit.Stop()
	select {
	case d.capture <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C: // a picture that was given up waits for its answer still
		return lost(errors.New("no answer in time"))
	}
	var sent []byte
	ended, err := d.wire.run(ctx, func() (err error) {
		sent, err = d.grab(r)
		return err
	})
	if err != nil {
		go func() {
			<-ended // a call that was given up still writes to the segment
			<-d.capture
		}()
		return err
	}
	defer func() { <-d.capture }()
	if sent == nil {
		sent = d.segment.data
	}
	n := 4 * r.Dx() * r.Dy()
	look(&computer.Frame{W: r.Dx(), H: r.Dy(), Stride: 4 * r.Dx(), Pix: sent[:n:n], Order: d.order})
	return nil
}

// grab has a picture of r made, in the segment or else in what it returns. The
// server refuses a part that is not on the screen.
func (d *Desktop) grab(r image.Rectangle) ([]byte, error) {
	if r.Empty() || !r.In(image.Rect(0, 0, maxSide, maxSide)) {
		return nil, outside(r, nil)
	}
	var sent []byte
	var err error
	if d.share(r) {
		err = d.getShared(d.segment, r)
	} else {
		sent, err = d.getImage(r)
	}
	var refused xgb.Error
	if errors.As(err, &refused) {
		return nil, outside(r, err)
	}
	return sent, err
}

func outside(r image.Rectangle, err error) error {
	return &arc.Error{Code: computer.Backend, Message: fmt.Sprintf("%v is not on the screen, which may have become smaller; take a screenshot.", r), Err: err}
}

// share makes the segment large enough for r, and for the whole screen while it is
// at it, and reports whether there is one.
func (d *Desktop) share(r image.Rectangle) bool {
	n := 4 * r.Dx() * r.Dy()
	if d.segment != nil && len(d.segment.data) >= n {
		return true
	}
	if d.noShm || d.shm == 0 || !d.wire.local {
		return false
	}
	if old := d.segment; old != nil {
		b := request(d.shm, shmDetach, 4)
		binary.LittleEndian.PutUint32(b[4:], old.id)
		d.wire.send(b)
		old.free()
		d.segment = nil
	}
	d.mu.Lock()
	whole := d.screen.Bounds.Size()
	d.mu.Unlock()
	s, err := d.attach(max(n, 4*whole.X*whole.Y))
	if err == nil && !d.shares(s) {
		s.free()
		s, err = nil, errors.New("the server has other memory of that name")
	}
	d.segment, d.noShm = s, err != nil
	return err == nil
}

// shares tries whether what the server writes arrives. In a container it may have
// attached another segment that has the same number on its side.
func (d *Desktop) shares(s *segment) bool {
	for _, mark := range []uint32{0x5a5a5a5a, 0xa5a5a5a5} { // no pixel is both
		binary.LittleEndian.PutUint32(s.data, mark)
		if err := d.getShared(s, image.Rect(0, 0, 1, 1)); err != nil {
			return false
		}
		if binary.LittleEndian.Uint32(s.data) != mark {
			return true
		}
	}
	return false
}

func (d *Desktop) attach(n int) (*segment, error) {
	key, err := shm.Get(shm.IPC_PRIVATE, n, shm.IPC_CREAT|0o600)
	if err != nil {
		return nil, err
	}
	// Once both have it, it needs no name: it ends with the last of them.
	defer shm.Rm(key)
	data, err := shm.At(key, 0, 0)
	if err != nil {
		return nil, err
	}
	s := &segment{data: data}
	if s.id, err = d.wire.x.NewId(); err == nil {
		b := request(d.shm, shmAttach, 12)
		binary.LittleEndian.PutUint32(b[4:], s.id)
		binary.LittleEndian.PutUint32(b[8:], uint32(key))
		binary.LittleEndian.PutUint16(b[2:], uint16(len(b)/4))
		c := d.wire.x.NewCookie(true, false)
		d.wire.x.NewRequest(b, c)
		err = c.Check() // a server of another user may not
	}
	if err == nil && len(data) < n {
		err = syscall.ENOMEM
	}
	if err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

// getShared has the server write r into s.
func (d *Desktop) getShared(s *segment, r image.Rectangle) error {
	b := request(d.shm, shmGetImage, 28)
	binary.LittleEndian.PutUint32(b[4:], uint32(d.root))
	putRect(b[8:], r)
	binary.LittleEndian.PutUint32(b[16:], allPlanes)
	b[20] = zPixmap
	binary.LittleEndian.PutUint32(b[24:], s.id)
	_, err := d.wire.ask(b)
	return err
}

// getImage has r sent over the connection.
func (d *Desktop) getImage(r image.Rectangle) ([]byte, error) {
	i, err := xproto.GetImage(d.wire.x, zPixmap, xproto.Drawable(d.root),
		int16(r.Min.X), int16(r.Min.Y), uint16(r.Dx()), uint16(r.Dy()), allPlanes).Reply()
	if err != nil {
		return nil, err
	}
	if len(i.Data) < 4*r.Dx()*r.Dy() {
		return nil, fmt.Errorf("the server sent %d bytes of a picture", len(i.Data))
	}
	return i.Data, nil
}

func putRect(b []byte, r image.Rectangle) {
	for i, v := range []int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
		binary.LittleEndian.PutUint16(b[2*i:], uint16(v))
	}
}
