package proc

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// A Watch ends what this process leaves behind if it is killed. It is one /bin/sh in a
// session of its own, which does nothing but read a pipe that never says a word: the
// pipe ends with this process, however that ends, and then the shell ends the groups on
// the watch's list and, on Linux, who carries the mark. Beside a death signal, this
// works for grandchildren, and does not depend on a thread of the host's.
//
// The list is a nameless file that the shell reads only then, so that an entry costs a
// write and wakes nobody. A Watch may be used from many goroutines. On Windows it
// watches nothing.
type Watch struct {
	mark  Mark          // of all groups of this host; empty: the mark of each on the list
	grace time.Duration // between TERM and KILL, rounded up to seconds

	mu       sync.Mutex
	shell    *Group
	lifeline *os.File
	list     *os.File
	slots    []int // of the list; free and awaited are no groups
}

// What a slot of the list holds where it holds no group.
const (
	free    = 0
	awaited = 1
)

// NewWatch makes a watch that has not begun. Every process that carries mark is ended
// with the groups; if its setting is empty, only those that carry what Add says.
func NewWatch(mark Mark, grace time.Duration) *Watch { return &Watch{mark: mark, grace: grace} }

// slotFormat has a fixed length, so that an entry can be replaced where it stands.
const (
	slotFormat = "%-10d %-48.48s\n"
	slotSize   = 60
)

// Start begins the watch, or begins it again if its shell has been killed.
func (w *Watch) Start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shell != nil {
		select {
		case <-w.shell.Done():
			w.lifeline.Close()
			w.shell = nil
		default:
			return nil
		}
	}
	return w.start()
}

// Add puts a group on the list. The setting is what its processes carry, of at most 48
// bytes without blanks, or empty.
func (w *Watch) Add(group int, setting string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil || group <= awaited {
		return nil
	}
	return w.write(w.slot(), group, setting)
}

// Expect puts on the list a group that is about to begin, whose processes carry a setting:
// without it, nobody would end one whose host is killed before it could add it. Began has
// to be called then, and makes it what Add does; group 0: it did not begin.
func (w *Watch) Expect(setting string) (began func(group int, setting string) error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		return func(int, string) error { return nil }, nil
	}
	slot := w.slot()
	return func(group int, setting string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if group <= awaited {
			group, setting = free, ""
		}
		return w.write(slot, group, setting)
	}, w.write(slot, awaited, setting)
}

// slot is a free one. The caller holds mu.
func (w *Watch) slot() int {
	slot := slices.Index(w.slots, free)
	if slot < 0 {
		slot = len(w.slots)
		w.slots = append(w.slots, free)
	}
	return slot
}

// Remove takes a group that is empty off the list: its number may become another's.
func (w *Watch) Remove(group int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for slot, g := range w.slots {
		if g == group && g > awaited {
			return w.write(slot, free, "")
		}
	}
	return nil
}

// write makes a slot hold a group, also on the list if there is one. The caller holds mu.
func (w *Watch) write(slot, group int, setting string) error {
	w.slots[slot] = group
	if w.list == nil {
		return nil
	}
	if setting == "" {
		setting = "-"
	}
	_, err := w.list.WriteAt(fmt.Appendf(nil, slotFormat, group, setting), int64(slot)*slotSize)
	return err
}

// Close ends the watch, which ends nothing then.
func (w *Watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shell != nil {
		_, _ = w.lifeline.WriteString("done\n") // an error: it has ended already
		w.lifeline.Close()
		select {
		case <-w.shell.Done():
		case <-time.After(afterKill): // stopped by somebody
			_ = w.shell.Kill()
			<-w.shell.Done()
		}
		w.shell = nil
	}
	if w.list != nil {
		w.list.Close()
		w.list = nil
	}
}
