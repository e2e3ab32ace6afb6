package seat

import (
	"container/heap"
	"time"
)

// timers are the wakes that this service armed, the next first: what is far off costs
// a look nothing. Whoever uses them holds the service's lock.
type timers struct {
	byID map[string]*timer
	next timerHeap
}

type timer struct {
	id string
	at time.Duration // of Elapsed
	n  int           // its place in the heap
}

// set lets a wake be due at a moment.
func (t *timers) set(id string, at time.Duration) {
	t.drop(id)
	if t.byID == nil {
		t.byID = map[string]*timer{}
	}
	x := &timer{id: id, at: at}
	t.byID[id] = x
	heap.Push(&t.next, x)
}

// drop forgets a wake.
func (t *timers) drop(id string) {
	if x := t.byID[id]; x != nil {
		heap.Remove(&t.next, x.n)
		delete(t.byID, id)
	}
}

func (t *timers) has(id string) bool { return t.byID[id] != nil }

// take removes what is due by now, and tells how late each is and how long it is to
// the next, sleep at most.
func (t *timers) take(now, sleep time.Duration) (late map[string]time.Duration, next time.Duration) {
	late = map[string]time.Duration{}
	for len(t.next) > 0 {
		x := t.next[0]
		if x.at > now {
			return late, min(sleep, x.at-now)
		}
		late[x.id] = now - x.at
		t.drop(x.id)
	}
	return late, sleep
}

// timerHeap implements heap.Interface.
type timerHeap []*timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].n, h[j].n = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.n = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}
