package local

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

// closing is an engine that counts its ends.
type closing struct {
	docs.Engine
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

func TestAnEngineIsMadeForTheFirstFile(t *testing.T) {
	t.Parallel()
	missing := docs.Unavailable("there is no room for a process")
	made, closed := 0, 0
	answers := []error{missing, nil}
	l := newLate(func(context.Context) (engineCloser, error) {
		err := answers[min(made, 1)]
		made++
		return closing{docs.Missing(docs.ErrDamaged), &closed}, err
	})
	open := func(ctx context.Context) error {
		_, err := l.Open(ctx, docs.Source{}, docs.OpenOptions{})
		return err
	}
	if made != 0 {
		t.Error("it is made before there is a file")
	}
	if err := open(t.Context()); !errors.Is(err, docs.ErrUnavailable) {
		t.Errorf("an engine that cannot be made is %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := open(t.Context()); !errors.Is(err, docs.ErrDamaged) {
				t.Errorf("the engine is not asked: %v", err)
			}
		})
	}
	all.Wait()
	if made != 2 {
		t.Errorf("it was made %d times, want once after the one that was refused", made)
	}
	if err := l.Close(); err != nil || closed != 1 {
		t.Errorf("it is closed %d times, %v", closed, err)
	}
}

func TestAnEngineThatIsBeingMadeHoldsUpNobodyForGood(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	l := newLate(func(context.Context) (engineCloser, error) {
		close(begun)
		<-end
		return closing{docstest.NewFake(), new(int)}, nil
	})
	var first sync.WaitGroup
	first.Go(func() { l.engine(t.Context()) })
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.engine(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call whose context has ended gets %v", err)
	}
	close(end)
	first.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnEngineThatWasNeverNeededIsClosed(t *testing.T) {
	t.Parallel()
	l := newLate(func(context.Context) (engineCloser, error) { panic("nobody opens a file") })
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
