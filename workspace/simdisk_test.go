package workspace

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// A simDisk is a disk in memory. It records each effect that reaches it, so that a
// test can make the disks that a power cut may leave: what was synced is there, and
// of the rest any part.
type simDisk struct {
	mu    sync.Mutex
	state simState // with every effect
	log   []effect
	calls int
	gone  []failedSync
	// before is asked before each call, also of those without an effect; an error is
	// the call's.
	before func(call string, n int) error
}

// A failedSync is one of a file that could not write what was unsynced then. That reads
// back until the power is cut, and no later sync tries it again.
type failedSync struct {
	node int
	at   int // effects of the disk by then
}

// lost reports whether a sync that failed has lost the i-th effect.
func (d *simDisk) lost(i int) bool {
	e := &d.log[i]
	return e.kind == wrote && slices.ContainsFunc(d.gone, func(f failedSync) bool {
		return f.node == e.node && i < f.at &&
			!slices.ContainsFunc(d.log[i:f.at], func(s effect) bool { return s.kind == synced && s.node == e.node })
	})
}

// halfWay is the error of a write that has written its first half.
type halfWay struct{ error }

func (h halfWay) Unwrap() error { return h.error }

// A simState is what is on a disk: its nodes by their number. A node that is there is
// never modified, only replaced, so that copies share it.
type simState []*simNode

// A simNode is a file or a directory.
type simNode struct {
	mode  fs.FileMode
	data  []byte
	names []simName // of a directory, sorted
	trace uint64    // tells apart what was done to a file; the same effects, the same trace
}

type simName struct {
	name string
	node int
}

// An effect is what one call does to one node. All of it is there after a power cut
// or nothing, but for a write's.
type effect struct {
	kind  effectKind
	node  int
	names []simName   // linked: what stands at these names; node -1: nothing
	made  *simNode    // linked: the new node
	at    int64       // wrote
	data  []byte      // wrote
	size  int64       // truncated
	mode  fs.FileMode // chmodded
}

type effectKind uint8

const (
	synced effectKind = iota
	linked
	wrote
	truncated
	chmodded
)

// A fate is what of an effect a power cut left.
type fate uint8

const (
	kept   fate = iota
	absent      // nothing
	torn        // of a write: its first half
	zeroed      // of a write: its length
)

// fates are those that e can have without a sync.
func (e *effect) fates() fate {
	if e.kind == wrote && len(e.data) > 1 {
		return zeroed + 1
	}
	return absent + 1
}

// do applies e, the i-th effect, as far as f says.
func (s simState) do(e *effect, i int, f fate) simState {
	if e.made != nil {
		s = append(s, e.made) // its number is taken, also where its name is lost
	}
	if f == absent || e.kind == synced {
		return s
	}
	n := *s[e.node]
	n.trace = n.trace*1_000_003 + uint64(i)*4 + uint64(f) + 1
	switch e.kind {
	case linked:
		n.names = slices.Clone(n.names)
		for _, to := range e.names {
			n.set(to)
		}
	case wrote:
		data := make([]byte, max(int64(len(n.data)), e.at+int64(len(e.data))))
		copy(data, n.data)
		switch f {
		case kept:
			copy(data[e.at:], e.data)
		case torn:
			half := e.at + int64(len(e.data)/2)
			copy(data[e.at:half], e.data)
			data = data[:max(int64(len(n.data)), half)]
		}
		n.data = data
	case truncated:
		n.data = n.data[:min(e.size, int64(len(n.data)))]
	case chmodded:
		n.mode = e.mode
	}
	s[e.node] = &n
	return s
}

func (n *simNode) find(name string) (at int, node int) {
	at, ok := slices.BinarySearchFunc(n.names, name, func(n simName, name string) int { return strings.Compare(n.name, name) })
	if !ok {
		return at, -1
	}
	return at, n.names[at].node
}

func (n *simNode) set(to simName) {
	switch at, old := n.find(to.name); {
	case to.node < 0 && old >= 0:
		n.names = slices.Delete(n.names, at, at+1)
	case to.node < 0:
	case old >= 0:
		n.names[at] = to
	default:
		n.names = slices.Insert(n.names, at, to)
	}
}

// The nodes that a new disk has.
const (
	simProject = iota
	simJournal
)

func newSimDisk() *simDisk {
	dir := &simNode{mode: fs.ModeDir | 0o755}
	return &simDisk{state: simState{dir, dir}}
}

// call runs do as one call.
func (d *simDisk) call(name string, do func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.before != nil {
		if err := d.before(name, d.calls); err != nil {
			return &fs.PathError{Op: name, Path: "simulated", Err: err}
		}
	}
	return do()
}

// effect makes e happen. The lock is held.
func (d *simDisk) effect(e effect) {
	if e.made != nil {
		e.names[0].node = len(d.state)
	}
	d.log = append(d.log, e)
	d.state = d.state.do(&e, len(d.log)-1, kept)
}

// A simInfo is what a node was when it was looked at.
type simInfo struct {
	name string
	node int
	*simNode
}

func (i simInfo) Name() string       { return i.name }
func (i simInfo) Size() int64        { return int64(len(i.data)) }
func (i simInfo) Mode() fs.FileMode  { return i.mode }
func (i simInfo) ModTime() time.Time { return time.Time{} }
func (i simInfo) IsDir() bool        { return i.mode.IsDir() }
func (i simInfo) Sys() any           { return nil }

// simPath walks to path, from the node.
func (s simState) at(node int, path string) *simNode {
	for _, name := range strings.Split(path, "/") {
		if _, node = s[node].find(name); node < 0 {
			return nil
		}
	}
	return s[node]
}

// key tells two disks apart by what can be reached on them.
func (s simState) key() string {
	var b []byte
	var walk func(n int)
	walk = func(n int) {
		node := s[n]
		if !node.mode.IsDir() {
			for x := node.trace; x > 0; x >>= 8 {
				b = append(b, byte(x))
			}
			return
		}
		for _, name := range node.names {
			b = append(append(b, name.name...), '/', byte(name.node), byte(name.node>>8), '{')
			walk(name.node)
			b = append(b, '}')
		}
	}
	walk(simProject)
	b = append(b, '|')
	walk(simJournal)
	return string(b)
}

// openSim opens the workspace that is on d. Its locks are in a folder of the real disk.
func openSim(d *simDisk, locks string, o *Options) (*Workspace, error) {
	ws := &Workspace{realDir: "/simulated", dir: "/simulated", root: simFolder{d, simProject}}
	ws.prepare(o)
	l, err := openLock(locks)
	if err != nil {
		return nil, err
	}
	ws.useJournal(simFolder{d, simJournal}, l, "/simulated")
	if err := ws.settle(); err != nil {
		ws.Close()
		return nil, err
	}
	return ws, nil
}
