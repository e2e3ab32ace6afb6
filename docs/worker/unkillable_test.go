package worker

import (
	"sync"
	"testing"
	"time"
)

// undying is a process that the system cannot end.
type undying struct{}

func (undying) PID() int         { return 0 }
func (undying) Living() int      { return 1 }
func (undying) Terminate() error { return nil }
func (undying) Kill() error      { return nil }

func TestAWorkerThatTheSystemCannotEndIsLeftToIt(t *testing.T) {
	t.Parallel()
	p := &process{group: undying{}}
	p.die = sync.OnceFunc(p.stop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.kill()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it is waited for without end")
	}
	if !p.dead.Load() {
		t.Error("it is of use still")
	}
}
