//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

const (
	dialTime   = 10 * time.Second
	answerTime = 10 * time.Second // a server that is silent for so long is lost
)

// wire is a connection to a server: it adds to the X library that nothing waits
// longer than its context, and that a server's end is an error.
type wire struct {
	x     *xgb.Conn
	net   *burst
	local bool          // the server is on this machine
	done  chan struct{} // closed when the server has gone
	calls sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

func noDisplay(err error) error {
	e := unavailable("no_display", "this host has no X display to operate; go on without the desktop.").(*arc.Error)
	e.Err = err
	return e
}

// dial connects to the display and introduces itself.
func dial(ctx context.Context, o Options) (*wire, error) {
	at, err := parseDisplay(o.Display)
	if err != nil {
		return nil, noDisplay(err)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, err := at.dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, noDisplay(err)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	xgb.Logger.SetOutput(io.Discard) // it would write to the host's standard error
	server := &introduced{Conn: conn, hello: hello(cookie(o.Xauthority, at))}
	out := &burst{Conn: server, to: server}
	x, err := xgb.NewConnNet(out)
	if !stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		conn.Close()
		if ctx.Err() != nil {
			return nil, noDisplay(ctx.Err())
		}
		refusal := unavailable("refused", "the X display refused the connection; the operator can give its cookie in XAUTHORITY.").(*arc.Error)
		refusal.Err = err
		return nil, refusal
	}
	x.DefaultScreen = at.screen
	w := &wire{x: x, net: out, local: conn.LocalAddr().Network() == "unix", done: make(chan struct{})}
	go w.drain()
	return w, nil
}

// drain reads events that nobody asked for, because a full queue would block the
// replies behind it.
func (w *wire) drain() {
	defer close(w.done)
	for {
		if e, err := w.x.WaitForEvent(); e == nil && err == nil {
			return
		}
	}
}

// close ends the connection and waits until nobody uses it.
func (w *wire) close() {
	w.mu.Lock()
	was := w.closed
	w.closed = true
	w.mu.Unlock()
	if was {
		return
	}
	w.net.Close()
	w.calls.Wait()
	<-w.done
}

// call runs f, which asks the server and waits for it, until ctx ends.
func (w *wire) call(ctx context.Context, f func() error) error {
	_, err := w.run(ctx, f)
	return err
}

// run is call for an f that uses what its caller owns. One that is given up goes on
// until the server answers or the connection is closed; ended is closed after it.
func (w *wire) run(ctx context.Context, f func() error) (ended <-chan struct{}, err error) {
	done := make(chan struct{})
	if err := w.ready(ctx); err != nil {
		close(done)
		return done, err
	}
	answer := make(chan error, 1)
	go func() {
		defer w.calls.Done()
		defer close(done)
		answer <- f()
	}()
	limit := time.NewTimer(answerTime)
	defer limit.Stop()
	select {
	case err := <-answer:
		return done, w.explain(err)
	case <-ctx.Done():
		return done, ctx.Err()
	case <-limit.C:
		return done, lost(errors.New("no answer in time"))
	}
}

// ready counts a call, unless there is to be none.
func (w *wire) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return shutDown()
	}
	w.calls.Add(1)
	return nil
}

func shutDown() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the desktop is closed; go on without it."}
}

// input sends what send sends, as one, and waits until the server has done it. It is
// sent before anything is waited for, so that what a canceled call has pressed is
// released after it was pressed. send asks for nothing.
func (w *wire) input(ctx context.Context, send func()) error {
	if err := w.ready(ctx); err != nil {
		return err
	}
	w.net.together(send)
	w.calls.Done()
	return w.sync(ctx)
}

func lost(err error) error {
	return &arc.Error{Code: computer.DisplayLost, Message: "the X display has ended or does not answer; tell the operator and go on without the desktop.", Err: err}
}

// explain tells the end of the server from its refusals.
func (w *wire) explain(err error) error {
	var x xgb.Error
	switch {
	case err == nil || errors.As(err, &x):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.closed {
			return shutDown()
		}
		return lost(err)
	}
	return err
}

// sync waits until the server has done everything that was sent before.
func (w *wire) sync(ctx context.Context) error {
	return w.call(ctx, func() error {
		_, err := xproto.GetInputFocus(w.x).Reply()
		return err
	})
}

// send sends a request that has no answer. Its length field is filled in.
func (w *wire) send(request []byte) {
	binary.LittleEndian.PutUint16(request[2:], uint16(len(request)/4))
	w.x.NewRequest(request, w.x.NewCookie(false, false))
}

// ask sends a request and waits for its reply; to be used inside of call.
func (w *wire) ask(request []byte) ([]byte, error) {
	binary.LittleEndian.PutUint16(request[2:], uint16(len(request)/4))
	c := w.x.NewCookie(true, true)
	w.x.NewRequest(request, c)
	return c.Reply()
}

// address is where a display's server is.
type address struct {
	network, host, socket string // host is empty for this machine
	number, screen        int
}

// parseDisplay reads a display's name.
func parseDisplay(name string) (address, error) {
	if name == "" {
		return address{}, errors.New("DISPLAY is not set")
	}
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return address{}, fmt.Errorf("%q names no display", name)
	}
	a := address{}
	number, screen, _ := strings.Cut(name[colon+1:], ".")
	var err error
	if a.number, err = strconv.Atoi(number); err != nil || a.number < 0 {
		return a, fmt.Errorf("%q has no display number", name)
	}
	if screen != "" {
		if a.screen, err = strconv.Atoi(screen); err != nil || a.screen < 0 {
			return a, fmt.Errorf("%q has no screen number", name)
		}
	}
	host := name[:colon]
	switch {
	case strings.HasPrefix(host, "/"): // launchd's: the whole name is the socket
		a.socket = host + ":" + number
	case host == "" || host == "unix" || strings.HasSuffix(host, "/unix"):
		a.socket = "/tmp/.X11-unix/X" + number
	default:
		if i := strings.IndexByte(host, '/'); i >= 0 {
			a.network, host = host[:i], host[i+1:]
		}
		a.host = strings.Trim(host, "[]")
	}
	return a, nil
}

func (a address) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	if a.socket != "" {
		return d.DialContext(ctx, "unix", a.socket)
	}
	network := a.network
	if network == "" {
		network = "tcp"
	}
	return d.DialContext(ctx, network, net.JoinHostPort(a.host, strconv.Itoa(6000+a.number)))
}
