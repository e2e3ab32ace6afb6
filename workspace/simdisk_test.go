package workspace

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
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
	// before is asked before each call, also of those without an effect; an error is
	// the call's.
	before func(call string, n int) error
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

// A simFolder is a directory of a simDisk.
type simFolder struct {
	*simDisk
	node int
}

func (d simFolder) get(name string) (int, error) {
	if name == "." {
		return d.node, nil
	}
	if _, n := d.state[d.node].find(name); n >= 0 {
		return n, nil
	}
	return -1, fs.ErrNotExist
}

func (d simFolder) info(name string, n int) fs.FileInfo { return simInfo{name, n, d.state[n]} }

func (d simFolder) lstat(name string) (info fs.FileInfo, err error) {
	err = d.call("lstat", func() error {
		n, err := d.get(name)
		if err == nil {
			info = d.info(name, n)
		}
		return err
	})
	return info, err
}

func (d simFolder) readlink(string) (string, error) { return "", syscall.EINVAL }

func (d simFolder) readDir() (entries []fs.DirEntry, err error) {
	err = d.call("readdir", func() error {
		for _, n := range d.state[d.node].names {
			entries = append(entries, fs.FileInfoToDirEntry(d.info(n.name, n.node)))
		}
		return nil
	})
	return entries, err
}

func (d simFolder) openDir(name string) (f folder, err error) {
	err = d.call("opendir", func() error {
		n, err := d.get(name)
		if err == nil && !d.state[n].mode.IsDir() {
			err = syscall.ENOTDIR
		}
		f = simFolder{d.simDisk, n}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d simFolder) open(name string) (f file, err error) {
	err = d.call("open", func() error {
		n, err := d.get(name)
		f = &simFile{simDisk: d.simDisk, node: n, name: name}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d simFolder) openAppend(name string) (f file, err error) {
	err = d.call("open", func() error {
		n, err := d.get(name)
		if err != nil {
			d.effect(effect{kind: linked, node: d.node, names: []simName{{name: name}}, made: &simNode{mode: 0o600}})
			n = len(d.state) - 1
		}
		f = &simFile{simDisk: d.simDisk, node: n, name: name, append: true}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d simFolder) make(call, name string, mode fs.FileMode) (n int, err error) {
	err = d.call(call, func() error {
		if _, err := d.get(name); err == nil {
			return fs.ErrExist
		}
		d.effect(effect{kind: linked, node: d.node, names: []simName{{name: name}}, made: &simNode{mode: mode}})
		n = len(d.state) - 1
		return nil
	})
	return n, err
}

func (d simFolder) create(name string, perm fs.FileMode) (file, error) {
	n, err := d.make("create", name, perm&^0o022)
	if err != nil {
		return nil, err
	}
	return &simFile{simDisk: d.simDisk, node: n, name: name}, nil
}

func (d simFolder) mkdir(name string, perm fs.FileMode) error {
	_, err := d.make("mkdir", name, fs.ModeDir|perm&^0o022)
	return err
}

func (d simFolder) link(call string, do func() ([]simName, error)) error {
	return d.call(call, func() error {
		names, err := do()
		if err == nil {
			d.effect(effect{kind: linked, node: d.node, names: names})
		}
		return err
	})
}

func (d simFolder) exchange(a, b string) error {
	return d.link("exchange", func() ([]simName, error) {
		x, err := d.get(a)
		y, err2 := d.get(b)
		if err == nil {
			err = err2
		}
		return []simName{{a, y}, {b, x}}, err
	})
}

func (d simFolder) moveNew(from, to string) error {
	return d.link("rename", func() ([]simName, error) {
		if _, err := d.get(to); err == nil {
			return nil, fs.ErrExist
		}
		n, err := d.get(from)
		return []simName{{from, -1}, {to, n}}, err
	})
}

func (d simFolder) replace(from, to string) error {
	return d.link("rename", func() ([]simName, error) {
		n, err := d.get(from)
		return []simName{{from, -1}, {to, n}}, err
	})
}

func (d simFolder) remove(name string) error {
	return d.link("remove", func() ([]simName, error) {
		n, err := d.get(name)
		if err == nil && len(d.state[n].names) > 0 {
			err = syscall.ENOTEMPTY
		}
		return []simName{{name, -1}}, err
	})
}

func (d simFolder) sync() error {
	return d.call("syncdir", func() error {
		d.effect(effect{kind: synced, node: d.node})
		return nil
	})
}

func (d simFolder) adopt(dst, _ file, info fs.FileInfo) []string {
	if dst.Chmod(info.Mode()) != nil {
		return []string{"mode_changed"}
	}
	return nil
}

func (d simFolder) same(info fs.FileInfo) bool { return info.(simInfo).node == d.node }
func (d simFolder) sameFile(a, b fs.FileInfo) bool {
	return a.(simInfo).node == b.(simInfo).node
}
func (d simFolder) at(string) bool { return true }
func (d simFolder) Close() error   { return nil }

// A simFile is an open file of a simDisk.
type simFile struct {
	*simDisk
	node   int
	name   string
	append bool
	off    int64
}

func (f *simFile) Read(b []byte) (n int, err error) {
	n, err = f.ReadAt(b, f.off)
	f.off += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *simFile) ReadAt(b []byte, at int64) (n int, err error) {
	err = f.call("read", func() error {
		if data := f.state[f.node].data; at < int64(len(data)) {
			n = copy(b, data[at:])
		}
		if n < len(b) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (f *simFile) Write(b []byte) (n int, err error) {
	write := func(b []byte) error {
		if f.append {
			f.off = int64(len(f.state[f.node].data))
		}
		f.effect(effect{kind: wrote, node: f.node, at: f.off, data: bytes.Clone(b)})
		f.off += int64(len(b))
		n = len(b)
		return nil
	}
	if err = f.call("write", func() error { return write(b) }); errors.As(err, new(halfWay)) && len(b) > 1 {
		f.mu.Lock()
		defer f.mu.Unlock()
		write(b[:len(b)/2])
	}
	return n, err
}

func (f *simFile) Close() error { return nil }

func (f *simFile) Stat() (info fs.FileInfo, err error) {
	err = f.call("fstat", func() error {
		info = simInfo{f.name, f.node, f.state[f.node]}
		return nil
	})
	return info, err
}

func (f *simFile) Sync() error {
	return f.call("sync", func() error {
		f.effect(effect{kind: synced, node: f.node})
		return nil
	})
}

func (f *simFile) Truncate(size int64) error {
	return f.call("truncate", func() error {
		f.effect(effect{kind: truncated, node: f.node, size: size})
		return nil
	})
}

func (f *simFile) Chmod(mode fs.FileMode) error {
	return f.call("chmod", func() error {
		f.effect(effect{kind: chmodded, node: f.node, mode: mode})
		return nil
	})
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
