package worker

import (
	"context"
	"sync"
	"time"
)

// A pool bounds how many workers live. A document that is in use holds a slot;
// one that is not may keep its worker for a while, and loses it as soon as
// another document needs the room.
type pool struct {
	slots chan struct{} // one token for each document in use
	keep  time.Duration // how long a worker without work is kept

	mu     sync.Mutex
	idle   []*resting // the longest without work first
	timers sync.WaitGroup
}

// resting is a worker without work.
type resting struct {
	of      *document
	process *process
	timer   *time.Timer
}

func newPool(workers int, keep time.Duration) *pool {
	return &pool{slots: make(chan struct{}, workers), keep: keep}
}

// take waits for a slot, and returns the worker that d has kept, if it still
// has it. Others that would be too many are ended first.
func (p *pool) take(ctx context.Context, d *document) (*process, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	own := p.remove(func(r *resting) bool { return r.of == d })
	var ended *process
	if len(p.slots)+len(p.idle) > cap(p.slots) {
		ended = p.remove(func(*resting) bool { return true })
	}
	p.mu.Unlock()
	if ended != nil {
		ended.kill()
	}
	return own, nil
}

// give returns a slot. w stays with d until it is needed, ended, or too old; nil
// is no worker.
func (p *pool) give(d *document, w *process) {
	if w != nil {
		r := &resting{of: d, process: w}
		p.mu.Lock()
		p.timers.Add(1)
		r.timer = time.AfterFunc(p.keep, func() {
			defer p.timers.Done()
			p.mu.Lock()
			old := p.take1(r)
			p.mu.Unlock()
			if old {
				w.kill()
			}
		})
		p.idle = append(p.idle, r)
		p.mu.Unlock()
	}
	<-p.slots
}

// take1 removes r from the list, and says whether it was there. The caller
// holds mu.
func (p *pool) take1(r *resting) bool {
	for i, x := range p.idle {
		if x == r {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return true
		}
	}
	return false
}

// remove takes the first worker that is as asked out of the list, and stops its
// timer. The caller holds mu.
func (p *pool) remove(asked func(*resting) bool) *process {
	for _, r := range p.idle {
		if asked(r) {
			p.take1(r)
			if r.timer.Stop() {
				p.timers.Done()
			}
			return r.process
		}
	}
	return nil
}

// end ends the worker that d has kept.
func (p *pool) end(d *document) {
	p.mu.Lock()
	w := p.remove(func(r *resting) bool { return r.of == d })
	p.mu.Unlock()
	if w != nil {
		w.kill()
	}
}

// close waits until no document is in use, and ends all workers. It is called
// once, when no further take can succeed.
func (p *pool) close() {
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for {
		p.mu.Lock()
		w := p.remove(func(*resting) bool { return true })
		p.mu.Unlock()
		if w == nil {
			break
		}
		w.kill()
	}
	p.timers.Wait()
}
