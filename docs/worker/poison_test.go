package worker

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/arcseat/arc/docs"
)

func TestAnOpeningThatTookTooLongIsTriedAgainOnceALibraryDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p poisoned
		slow, heavy := place{sha256: "slow"}, place{sha256: "heavy"}
		p.add(slow, opening(docs.ErrTimeout))
		p.add(heavy, opening(docs.ErrMemory))
		time.Sleep(docs.RetryAfter - time.Second)
		if h, ok := p.at(slow); !ok || !errors.Is(h.err, docs.ErrTimeout) {
			t.Errorf("before, it is %v, %v", h, ok)
		}
		time.Sleep(time.Second)
		if h, ok := p.at(slow); ok {
			t.Errorf("after, it is %v", h)
		}
		if _, ok := p.at(heavy); !ok {
			t.Error("what lacked memory is forgotten too")
		}
	})
}
