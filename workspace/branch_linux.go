package workspace

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A fdBranch is a directory by its bare descriptor. All that it does is relative
// to that, one name at a time, and follows no link: like a folder it cannot be led
// outside. What it saves is one call of the system and some memory for each file.
type fdBranch struct {
	fd     int
	dev    uint64
	ino    uint64
	whole  bool // a read of a file here that brings less than was asked for has reached its end
	begun  bool // its names were read before
	shared *fdShared
	users  atomic.Int32
}

// fdShared is what the branches of one walk have in common.
type fdShared struct {
	buf    []byte          // names as the kernel writes them
	names  []byte          // of the directory that is read, one behind the other
	found  []fdName        // where they are there
	kept   arena           // the names that were handed out
	unused []fdBranch      // made together, to be taken one by one
	device map[uint64]bool // whether the file systems met so far are whole
}

// A fdName is a name of the directory that is read. Without a pointer in it, it
// is sorted at half the price.
type fdName struct {
	first      uint64 // its first eight bytes, by which most pairs are told apart
	start, end uint32
	mode       fs.FileMode
}

// branchesAtOnce are made together: a walk needs one for every directory.
const branchesAtOnce = 32

// quickBranch is root as an fdBranch, or nil if it is no plain directory.
func quickBranch(root folder) branch {
	d, ok := root.(interface {
		withHandle(do func(fd int) error) error
	})
	if !ok {
		return nil
	}
	b := newFDBranch(-1, &fdShared{buf: make([]byte, 64<<10), device: map[uint64]bool{}})
	if d.withHandle(func(fd int) error { return b.openDir(fd, ".") }) != nil {
		return nil
	}
	return b
}

func newFDBranch(fd int, shared *fdShared) *fdBranch {
	if len(shared.unused) == 0 {
		shared.unused = make([]fdBranch, branchesAtOnce)
	}
	b := &shared.unused[0]
	shared.unused = shared.unused[1:]
	b.fd, b.shared = fd, shared
	b.users.Store(1)
	return b
}

func (b *fdBranch) enter(name string) (branch, error) {
	next := newFDBranch(-1, b.shared)
	if err := next.openDir(b.fd, name); err != nil {
		return nil, err
	}
	return next, nil
}

func (b *fdBranch) openDir(at int, name string) (err error) {
	if b.fd, err = openat(at, name, unix.O_DIRECTORY); err != nil {
		return &fs.PathError{Op: "openat", Path: name, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(b.fd, &st); err != nil {
		unix.Close(b.fd)
		return &fs.PathError{Op: "fstat", Path: name, Err: err}
	}
	b.dev, b.ino = uint64(st.Dev), st.Ino
	whole, known := b.shared.device[b.dev]
	if !known {
		whole = readsWhole(b.fd)
		b.shared.device[b.dev] = whole
	}
	b.whole = whole
	return nil
}

// openat opens to read what is no link, and never waits on a pipe.
func openat(at int, name string, flags int) (fd int, err error) {
	for {
		fd, err = unix.Openat(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// readsWhole reports whether the file system that fd is on fills each read as far
// as the file goes. Others may stop where a packet or a page of theirs ends.
func readsWhole(fd int) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return false
	}
	switch int64(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.SQUASHFS_MAGIC:
		return true
	}
	return false
}

func (b *fdBranch) readDir(into []leaf) ([]leaf, error) {
	s := b.shared
	s.names, s.found = s.names[:0], s.found[:0]
	if b.begun {
		if _, err := unix.Seek(b.fd, 0, io.SeekStart); err != nil {
			return into, err
		}
	}
	b.begun = true
	var err error
	for more := true; more; {
		var n int
		n, err = unix.Getdents(b.fd, s.buf)
		switch {
		case err == unix.EINTR:
		case err != nil || n <= 0:
			more = false
		default:
			more = !b.take(s.buf[:n])
		}
	}
	slices.SortFunc(s.found, func(x, y fdName) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return bytes.Compare(s.names[x.start:x.end], s.names[y.start:y.end])
	})
	into = slices.Grow(into, len(s.found))
	for _, f := range s.found {
		into = append(into, leaf{s.kept.keep(s.names[f.start:f.end]), f.mode})
	}
	if err != nil {
		return into, &fs.PathError{Op: "getdents64", Path: ".", Err: err}
	}
	return into, nil
}

// Offsets in a linux_dirent64.
const (
	direntNext = 8 // where in the directory the next read would go on
	direntLen  = 16
	direntType = 18
	direntName = 19
)

// take keeps the entries of buf. It reports whether they are the last: behind the
// largest of positions there is nothing, which spares a walk of ext4 one
// call in five. Of a file system of unknown kind the positions mean nothing.
func (b *fdBranch) take(buf []byte) (last bool) {
	s := b.shared
	var next uint64
	for len(buf) > direntName {
		size := int(binary.NativeEndian.Uint16(buf[direntLen:]))
		if size <= direntName || size > len(buf) {
			return false
		}
		next = binary.NativeEndian.Uint64(buf[direntNext:])
		kind, name := buf[direntType], buf[direntName:size]
		buf = buf[size:]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if len(name) == 0 || string(name) == "." || string(name) == ".." {
			continue
		}
		mode, ok := b.modeOf(kind, name)
		if !ok {
			continue
		}
		var first [8]byte
		copy(first[:], name)
		start := len(s.names)
		s.names = append(s.names, name...)
		s.found = append(s.found, fdName{binary.BigEndian.Uint64(first[:]), uint32(start), uint32(len(s.names)), mode})
	}
	return b.whole && next == math.MaxInt64
}

// modeOf turns the kernel's kind of an entry into a mode; a file system that tells
// none is asked. ok is false for an entry that has vanished.
func (b *fdBranch) modeOf(kind byte, name []byte) (mode fs.FileMode, ok bool) {
	switch kind {
	case unix.DT_REG:
		return 0, true
	case unix.DT_DIR:
		return fs.ModeDir, true
	case unix.DT_LNK:
		return fs.ModeSymlink, true
	case unix.DT_FIFO:
		return fs.ModeNamedPipe, true
	case unix.DT_SOCK:
		return fs.ModeSocket, true
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice, true
	case unix.DT_BLK:
		return fs.ModeDevice, true
	}
	var st unix.Stat_t
	if err := unix.Fstatat(b.fd, string(name), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fs.ModeIrregular, err != unix.ENOENT
	}
	for _, kind := range []byte{unix.DT_REG, unix.DT_DIR, unix.DT_LNK, unix.DT_FIFO, unix.DT_SOCK, unix.DT_CHR, unix.DT_BLK} {
		if st.Mode&unix.S_IFMT == uint32(kind)<<12 { // kinds are a mode's type bits
			return b.modeOf(kind, nil)
		}
	}
	return fs.ModeIrregular, true
}

func (b *fdBranch) open(name string) (io.ReadCloser, error) {
	fd, err := openat(b.fd, name, 0)
	switch {
	case err == unix.ELOOP, err == unix.ENXIO: // a link; a pipe or socket that nobody listens at
		return nil, errNotRegular
	case err != nil:
		return nil, &fs.PathError{Op: "openat", Path: name, Err: err}
	}
	f := &fdFile{fd: fd, whole: b.whole}
	if !f.whole {
		if err := f.look(); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

func (b *fdBranch) same(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && uint64(st.Dev) == b.dev && st.Ino == b.ino
}

func (b *fdBranch) keep() branch {
	b.users.Add(1)
	return b
}

func (b *fdBranch) Close() error {
	if b.users.Add(-1) > 0 {
		return nil
	}
	return unix.Close(b.fd)
}

// An fdFile is a file by its bare descriptor. What it is and how large, the system
// is only asked if the first read is full: a file that is smaller than the buffer
// costs three calls, to open, to read and to close it.
type fdFile struct {
	fd     int
	whole  bool // as its branch
	looked bool
	left   int64 // bytes that may still be read, once looked is set
	read   int64 // bytes so far
}

// readsStop divides each place at which a read stops short of what the disk cannot
// give any more: there it is the next read that fails.
const readsStop = 4096

// look refuses all but regular files, and bounds what is read.
func (f *fdFile) look() error {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return errNotRegular
	}
	f.looked, f.left = true, st.Size+readBuffer
	return nil
}

func (f *fdFile) Read(b []byte) (int, error) {
	if f.looked && int64(len(b)) > f.left {
		b = b[:f.left]
	}
	if len(b) == 0 {
		return 0, io.EOF
	}
	n, err := unix.Read(f.fd, b)
	for err == unix.EINTR {
		n, err = unix.Read(f.fd, b)
	}
	switch {
	case errors.Is(err, unix.EAGAIN): // a pipe took the file's place
		return 0, errNotRegular
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: ".", Err: err}
	case n == 0:
		return 0, io.EOF
	case n == len(b) && !f.looked:
		if err := f.look(); err != nil {
			return 0, err
		}
	}
	f.left -= int64(n)
	if f.read += int64(n); n < len(b) && f.whole && f.read%readsStop != 0 {
		return n, io.EOF
	}
	return n, nil
}

func (f *fdFile) Close() error { return unix.Close(f.fd) }
