package workspace

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting on a pipe or a device.
const openFlags = unix.O_NONBLOCK

func syncDir(f *os.File) error { return f.Sync() }

// changeTime is when the file or what is known of it changed last: unlike the time
// of its last write, no program can set it.
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}

func (d diskFolder) exchange(a, b string) error {
	err := d.rename(a, b, unix.RENAME_EXCHANGE)
	if noSuchRename(err) {
		return errNoExchange
	}
	return err
}

func (d diskFolder) moveNew(from, to string) error {
	err := d.rename(from, to, unix.RENAME_NOREPLACE)
	if noSuchRename(err) {
		return linkNew(d.root, from, to)
	}
	return err
}

func (d diskFolder) rename(a, b string, flags uint) error {
	return d.withHandle(func(fd int) error {
		if err := unix.Renameat2(fd, a, fd, b, flags); err != nil {
			return &os.LinkError{Op: "renameat2", Old: a, New: b, Err: err}
		}
		return nil
	})
}

// noSuchRename: old kernels, NFS, some FUSE and 9p have no renameat2 flags.
func noSuchRename(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

// adopt copies owner, extended attributes (access control lists among them) and
// mode. What the system does not allow comes back as short notes.
func (d diskFolder) adopt(dst, src file, info fs.FileInfo) (notes []string) {
	to, ok := dst.(*os.File)
	if !ok {
		return nil
	}
	from, _ := src.(*os.File)
	if was, ok := info.Sys().(*syscall.Stat_t); ok {
		if now, err := to.Stat(); err == nil {
			if is := now.Sys().(*syscall.Stat_t); is.Uid != was.Uid || is.Gid != was.Gid {
				if to.Chown(int(was.Uid), int(was.Gid)) != nil {
					notes = append(notes, "owner_changed")
				}
			}
		}
	}
	if from != nil && copyXattrs(to, from) != nil {
		notes = append(notes, "attributes_lost")
	}
	if to.Chmod(info.Mode()) != nil {
		notes = append(notes, "mode_changed")
	}
	return notes
}

// copyXattrs gives to what a user may set on from, and nothing else: a new file has
// the access control list that its directory has for new files. The kernel's own
// security.* labels are set by the kernel.
func copyXattrs(to, from *os.File) error {
	names, err := listXattrs(int(from.Fd()))
	if err != nil {
		return err
	}
	had, err := listXattrs(int(to.Fd()))
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range had {
		if !slices.Contains(names, name) {
			errs = append(errs, unix.Fremovexattr(int(to.Fd()), name))
		}
	}
	if len(names) == 0 {
		return errors.Join(errs...)
	}
	value := make([]byte, 64<<10)
	for _, name := range names {
		n, err := unix.Fgetxattr(int(from.Fd()), name, value)
		if err == nil {
			err = unix.Fsetxattr(int(to.Fd()), name, value[:n], 0)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// listXattrs names them, but for the kernel's labels.
func listXattrs(fd int) ([]string, error) {
	n, err := unix.Flistxattr(fd, nil)
	if err != nil || n == 0 {
		if errors.Is(err, unix.ENOTSUP) {
			err = nil
		}
		return nil, err
	}
	buf := make([]byte, n)
	if n, err = unix.Flistxattr(fd, buf); err != nil {
		return nil, err
	}
	names := strings.FieldsFunc(string(buf[:n]), func(r rune) bool { return r == 0 })
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "security.") }), nil
}
