package tools

import (
	"context"
	"sync"

	"github.com/arcseat/arc"
)

// maxParallel is how many reading calls of a batch run at once.
const maxParallel = 8

// Run answers a batch, every call of it and in its order. Neighbouring reading
// calls run side by side, at most 8 at once, and all others alone; those that may
// end the turn come last, in order. Once one has ended it, the others are answered
// terminal_conflict. When ctx ends, what has not begun is answered canceled.
func (s *Session) Run(ctx context.Context, calls []arc.Call) []*arc.Result {
	numbered := make([]arc.Call, len(calls))
	for i, c := range calls {
		numbered[i] = s.number(c)
	}
	results := make([]*arc.Result, len(calls))
	answer := func(i int) { results[i] = s.call(ctx, numbered[i]) }

	var reading, last []int
	flush := func() {
		side(reading, answer)
		reading = nil
	}
	for i, c := range numbered {
		switch e := s.byName[c.Name]; {
		case e == nil || e.def.Effects.ReadOnly && !e.def.Effects.EndsTurn:
			reading = append(reading, i)
		case e.def.Effects.EndsTurn:
			last = append(last, i)
		default:
			flush()
			answer(i)
		}
	}
	flush()
	for _, i := range last {
		answer(i)
	}
	return results
}

// side runs answer for all of is side by side.
func side(is []int, answer func(int)) {
	if len(is) == 1 {
		answer(is[0])
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for _, i := range is {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			answer(i)
		})
	}
	wg.Wait()
}
