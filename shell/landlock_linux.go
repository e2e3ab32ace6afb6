package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"github.com/arcseat/arc/internal/proc"
	"golang.org/x/sys/unix"
)

// A LandlockRunner runs commands on the host under Landlock, the kernel's sandbox for
// who has no privileges: they write to the project, a private TMPDIR and what the host
// names, send no signal outside, and have no TCP. It needs no helper program, no root
// and no namespaces. Its methods may be used from many goroutines.
//
// The host itself stays unconfined: each command is started by a thread that confines
// itself and then ends with its goroutine. What may be written to is settled when the
// runner is made: a directory that is removed and made anew is another one. Programs
// that gain privileges, as sudo does, get none, and of root's own powers only those over
// files are left. What a command writes to the project may still be run unconfined by
// somebody later: a hook of Git's, a Makefile.
type LandlockRunner struct {
	host  HostRunner
	rules *os.File // the kernel's ruleset
	temp  *privateTemp
	abi   int
	o     LandlockOptions

	closing sync.RWMutex // read-held while a command starts
}

var _ Confiner = (*LandlockRunner)(nil)

// NewLandlock makes a runner for the project in dir, and runs a command to see that it
// works. Close the runner after the Shell. The code is sandbox_unavailable, also where
// the kernel's Landlock is too old for what is wanted: there is no best effort.
func NewLandlock(ctx context.Context, dir string, o *LandlockOptions) (*LandlockRunner, error) {
	if o == nil {
		o = &LandlockOptions{}
	}
	l := &LandlockRunner{o: *o, host: HostRunner{Shell: o.Shell}}
	if l.o.ABI <= 0 {
		l.o.ABI = 6
	}
	err := l.open(dir)
	if err != nil {
		err = noSandbox(err)
	} else {
		err = Probe(ctx, l, dir)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *LandlockRunner) open(dir string) error {
	var err error
	if l.abi, err = landlockABI(); err != nil {
		return err
	}
	if l.abi < l.o.ABI {
		return fmt.Errorf("the kernel has Landlock of version %d, and %d is wanted", l.abi, l.o.ABI)
	}
	if l.temp, err = newPrivateTemp(l.o.TempDir); err != nil {
		return err
	}
	for _, path := range l.o.Write {
		if err := os.MkdirAll(path, 0o700); err != nil && !errors.Is(err, unix.ENOTDIR) {
			return err
		}
	}
	a := landlockAttr(l.abi, l.o.Network)
	if l.rules, err = landlockRuleset(a); err != nil {
		return err
	}
	const all = ^uint64(unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR) // root's way to a disk
	allow := func(access uint64, paths ...string) {
		for _, path := range paths {
			if err == nil {
				err = landlockAllow(l.rules, path, access&a.Handled_access_fs)
			}
		}
	}
	allow(all, append([]string{dir, l.temp.path}, l.o.Write...)...)
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full"} {
		if _, missing := os.Stat(device); missing == nil { // a container may have fewer
			allow(landlockRead|landlockWrite, device)
		}
	}
	if l.o.Read == nil {
		allow(landlockRead, "/")
	}
	allow(landlockRead, l.o.Read...)
	return err
}

// Close ends the runner, which starts nothing any more, and removes the TMPDIR.
func (l *LandlockRunner) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.rules != nil {
		l.rules.Close()
		l.rules = nil
	}
	if l.temp == nil {
		return nil
	}
	temp := l.temp
	l.temp = nil
	return temp.remove()
}

// ABI is the version of Landlock's interface that the kernel has.
func (l *LandlockRunner) ABI() int { return l.abi }

// Lacks says what commands are not kept from on this kernel, with these options.
func (l *LandlockRunner) Lacks() []string { return landlockLacks(l.abi, l.o) }

// Confined implements Confiner.
func (l *LandlockRunner) Confined() string {
	s := "commands are confined here: they write to the project and $TMPDIR"
	if len(l.o.Write) > 0 {
		s += ", and to what the operator has named"
	}
	if l.abi >= 4 && !l.o.Network {
		s += "; they have no TCP"
	}
	return s
}

// Start implements Runner. Codes: shell_not_found, sandbox_unavailable, shutting_down.
func (l *LandlockRunner) Start(_ context.Context, s Spec) (Proc, error) {
	l.closing.RLock()
	defer l.closing.RUnlock()
	if l.rules == nil {
		return nil, shuttingDown()
	}
	env := environ(slices.Clone(s.Env))
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		env.set(name + "=" + l.temp.path)
	}
	s.Env = env
	return l.host.start(s, l.confined)
}

// confined starts a process from a thread that is confined first and dies then.
func (l *LandlockRunner) confined(c proc.Command) (g *proc.Group, err error) {
	proc.OnOwnThread(func() {
		if err = landlockSelf(l.rules); err != nil {
			err = noSandbox(err)
			return
		}
		g, err = proc.Start(c)
	})
	return g, err
}

// Rights to files.
const (
	landlockRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landlockFile  = landlockWrite | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE // what a file can have
	landlockFirst = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1                                             // all of version 1
)

// landlockAttr is what a version can refuse. What is younger than version 6 is not asked
// for, because it was not tried.
func landlockAttr(abi int, network bool) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Handled_access_fs: landlockFirst}
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 && !network {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// The system calls have no wrappers in package unix. The library that has some confines
// all threads of a process, which a host must not be, and links C to do so.

func landlockABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return int(v), nil
}

// landlockRuleset may give an old kernel a larger structure than it knows: the rest is zero.
func landlockRuleset(a unix.LandlockRulesetAttr) (*os.File, error) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0)
	if errno != 0 {
		return nil, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return os.NewFile(fd, "landlock"), nil // closed in what a command starts: the kernel sets that
}

func landlockAllow(rules *os.File, path string, access uint64) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landlockFile
	}
	a := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	return onFile(rules, func(ruleset uintptr) error {
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&a)), 0, 0, 0)
		if errno != 0 {
			return os.NewSyscallError("landlock_add_rule", errno)
		}
		return nil
	})
}

// landlockSelf confines the thread that calls it, for good.
func landlockSelf(rules *os.File) error {
	return onFile(rules, func(ruleset uintptr) error {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return os.NewSyscallError("prctl", err)
		}
		if err := dropCapabilities(); err != nil {
			return err
		}
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
			return os.NewSyscallError("landlock_restrict_self", errno)
		}
		return nil
	})
}

// rootKeeps are the powers over files that the rules allow anyway. With the others a
// command of root's could make a device, read the environment of the host, or load a
// module, whatever Landlock says.
const rootKeeps = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID

// dropCapabilities takes the thread's powers, if it has any, but for rootKeeps. They do
// not come back with a program, because the thread may gain no privileges.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData // the first 32, and the others
	if err := unix.Capget(&header, &has[0]); err != nil {
		return os.NewSyscallError("capget", err)
	}
	keep := has[0].Permitted & rootKeeps
	has = [2]unix.CapUserData{{Effective: keep, Permitted: keep}}
	return os.NewSyscallError("capset", unix.Capset(&header, &has[0]))
}

// onFile keeps f open while f's descriptor is used.
func onFile(f *os.File, use func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = use(fd) }); err != nil {
		return err
	}
	return inner
}
