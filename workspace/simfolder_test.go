package workspace

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"syscall"
)

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
	err := f.call("sync", func() error {
		f.effect(effect{kind: synced, node: f.node})
		return nil
	})
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.gone = append(f.gone, failedSync{f.node, len(f.log)})
	}
	return err
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
