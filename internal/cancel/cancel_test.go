package cancel

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleepLastsItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := Sleep(t.Context(), time.Hour); err != nil || time.Since(begun) != time.Hour {
			t.Errorf("slept %v: %v", time.Since(begun), err)
		}
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		if err := Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("slept %v: %v", time.Since(begun), err)
		}
		for _, none := range []time.Duration{0, -time.Second} {
			if err := Sleep(ctx, none); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("no sleep of %v in a context that is over: %v", none, err)
			}
			if err := Sleep(t.Context(), none); err != nil {
				t.Errorf("no sleep of %v: %v", none, err)
			}
		}
	})
}

func TestAReaderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := Reader(ctx, strings.NewReader("abcdef"))
	part := make([]byte, 3)
	if n, err := r.Read(part); err != nil || string(part[:n]) != "abc" {
		t.Errorf("read %q: %v", part[:n], err)
	}
	cancel()
	if rest, err := io.ReadAll(r); len(rest) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after its context it reads %q: %v", rest, err)
	}
}
