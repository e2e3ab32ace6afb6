package shell_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"github.com/google/go-cmp/cmp"
)

// landlocked opens a shell over an empty project whose commands are confined.
func landlocked(t *testing.T, o *shell.LandlockOptions) (sh *shell.Shell, project string, l *shell.LandlockRunner) {
	t.Helper()
	project = t.TempDir()
	if o == nil {
		o = &shell.LandlockOptions{}
	}
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	l, err := shell.NewLandlock(t.Context(), project, o)
	if err != nil {
		if abi := kernelABI(); abi < 6 {
			t.Skipf("this kernel has Landlock of version %d", abi)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return openIn(t, project, &shell.Options{Runner: l}), project, l
}

// kernelABI asks as the manual page says.
func kernelABI() int {
	v, _, errno := syscall.Syscall(444, 0, 0, 1)
	if errno != 0 {
		return 0
	}
	return int(v)
}

func TestUnderLandlockACommand(t *testing.T) {
	t.Parallel()
	sh, _, l := landlocked(t, nil)
	outside := t.TempDir()
	file := filepath.Join(outside, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	abstract, err := net.Listen("unix", "@arc-shell-test-"+filepath.Base(outside))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()

	for _, c := range []struct{ name, command, want string }{
		{"writes to the project", "mkdir d && echo x >d/f && mv d/f g && rm -r d && cat g", "x\n"},
		{"moves files between directories of the project", "mkdir -p a b && echo y >a/f && mv a/f b/ && cat b/f", "y\n"},
		{"reads outside", "cat " + file, "kept"},
		{"runs programs", "/bin/ls / >/dev/null && echo ran", "ran\n"},
		{"writes to its standard output by name", "echo out >/dev/stdout; echo err >/dev/stderr", "out\nerr\n"},
		{"has a directory for temporary files", `f=$(mktemp) && echo z >"$f" && cat "$f" && [ "$TMPDIR" = "$TMP" ] && rm "$f"`, "z\n"},
		{"has a here-document and a process substitution", "cat <<E; cat <(echo p)\nh\nE", "h\np\n"},
		{"commits with Git", "command -v git >/dev/null || { echo 1; exit; }; git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git rev-list --count HEAD", "1\n"},
		{"signals what it has started", "sleep 300 & kill $! && wait $! || echo ended", "ended\n"},
		{"opens a connection between its own processes by a pipe", "mkfifo p; echo q >p & cat p", "q\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := run(t, sh, shell.ExecArgs{Command: c.command}); r.Status != shell.StatusCompleted || r.Output != c.want {
				t.Errorf("%s, %q, want %q", r.Status, r.Output, c.want)
			}
		})
	}

	host := os.Getpid()
	for _, c := range []struct{ name, command string }{
		{"is refused a write outside", "echo x >" + file},
		{"is refused to empty a file outside", "truncate -s 0 " + file},
		{"is refused a new file outside", "touch " + filepath.Join(outside, "new")},
		{"is refused a new file in the system's directory for temporary files", "touch /tmp/arc-shell-outside"},
		{"is refused a new directory outside", "mkdir " + filepath.Join(outside, "dir")},
		{"is refused a link to what lies outside", "ln " + file + " linked"},
		{"is refused to remove outside", "rm -f " + file},
		{"is refused a move out of the project", "echo x >out && mv out " + outside},
		{"is refused a write by a link in the project", "ln -sf " + file + " link && echo x >link"},
		{"is refused a connection by TCP", fmt.Sprintf("echo x >/dev/tcp/127.0.0.1/%d", port)},
		{"is refused a signal to the host", fmt.Sprintf("kill -0 %d", host)},
		{"is refused an end of the host's group", fmt.Sprintf("kill -TERM -%d", syscall.Getpgrp())},
		{"is refused the host's environment", fmt.Sprintf("cat /proc/%d/environ >/dev/null", host)},
		{"is refused the host's memory map", fmt.Sprintf("head -c 1 /proc/%d/maps", host)},
		{"is refused a device", "mknod disk b 8 0 || mknod char c 1 3"},
		{"is refused more privileges", "grep -q 'NoNewPrivs:.*0' /proc/self/status"},
		{"is refused root's powers", "mkdir -p m && mount -t tmpfs none m || chroot / true || hostname arc-test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := run(t, sh, shell.ExecArgs{Command: c.command}); r.Status != shell.StatusFailed {
				t.Errorf("%s: %q", r.Status, r.Output)
			}
		})
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "kept" {
		t.Errorf("the file outside is %q, %v", b, err)
	}
	if names, err := filepath.Glob(filepath.Join(outside, "*")); err != nil || len(names) != 1 {
		t.Errorf("outside there are %v, %v", names, err)
	}

	t.Run("that runs on is ended as any other", func(t *testing.T) {
		r := background(t, sh, "sleep 300 & sleep 300")
		if err := sh.Kill(t.Context(), r.JobID); err != nil {
			t.Fatal(err)
		}
		if s := ended(t, sh, r.JobID); s != shell.StatusKilled {
			t.Errorf("it ended %s", s)
		}
	})
	t.Run("that was refused something is told how it is confined", func(t *testing.T) {
		r := run(t, sh, shell.ExecArgs{Command: "touch " + filepath.Join(outside, "new")})
		if want := "commands are confined here: they write to the project and $TMPDIR; they have no TCP"; r.Hint != want {
			t.Errorf("the hint is %q, want %q", r.Hint, want)
		}
		if r := run(t, sh, shell.ExecArgs{Command: "exit 3"}); r.Hint != "" {
			t.Errorf("one that failed by itself has the hint %q", r.Hint)
		}
	})
	t.Run("is refused a Unix socket without a path", func(t *testing.T) {
		if _, err := exec.LookPath("perl"); err != nil {
			t.Skip(err)
		}
		if l.ABI() < 6 {
			t.Skip("Landlock is too old here")
		}
		name := fmt.Sprintf("arc-test-%d", host)
		socket, err := net.Listen("unix", "@"+name)
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		command := `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, pack("Sa*", AF_UNIX, "\0` + name + `")) ? print "connected" : print $!+0'`
		if out, err := exec.Command("/bin/bash", "-c", command).CombinedOutput(); err != nil || string(out) != "connected" {
			t.Fatalf("without Landlock: %q, %v", out, err)
		}
		if r := run(t, sh, shell.ExecArgs{Command: command}); r.Output != "1" { // EPERM
			t.Errorf("%s: %q", r.Status, r.Output)
		}
	})
	t.Run("leaves the host as it was", func(t *testing.T) {
		for range 20 { // whatever thread that is
			done := make(chan error)
			go func() { done <- os.WriteFile(filepath.Join(outside, "host"), nil, 0o600) }()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	})
	t.Run("is not kept from what Lacks names", func(t *testing.T) {
		want := []string{
			"protocols beside TCP are open: UDP, and Multipath TCP, which any server of TCP answers",
			"Unix sockets that have a path are open, as that of Docker",
			"memory, processor time and disk are without limit",
			"everything may be read that the host's user may read",
		}
		if d := cmp.Diff(want, l.Lacks()); d != "" {
			t.Error(d)
		}
		if l.ABI() != kernelABI() {
			t.Errorf("it has version %d, the kernel %d", l.ABI(), kernelABI())
		}
	})
}

func TestLandlockOptions(t *testing.T) {
	t.Parallel()
	t.Run("a cache that the host names can be written to, and is made", func(t *testing.T) {
		t.Parallel()
		cache := filepath.Join(t.TempDir(), "a", "cache")
		sh, _, _ := landlocked(t, &shell.LandlockOptions{Write: []string{cache}})
		if r := run(t, sh, shell.ExecArgs{Command: "echo x >" + cache + "/f && rm " + cache + "/f && echo done"}); r.Output != "done\n" {
			t.Errorf("it says %q", r.Output)
		}
		if r := run(t, sh, shell.ExecArgs{Command: "echo x >" + filepath.Dir(cache) + "/f"}); r.Status != shell.StatusFailed {
			t.Errorf("beside it: %s", r.Status)
		}
	})
	t.Run("a file can be named", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		file := filepath.Join(dir, "log")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		sh, _, _ := landlocked(t, &shell.LandlockOptions{Write: []string{file}})
		if r := run(t, sh, shell.ExecArgs{Command: "echo x >>" + file + " && ! touch " + dir + "/other 2>/dev/null && cat " + file}); r.Output != "x\n" {
			t.Errorf("it says %q", r.Output)
		}
	})
	t.Run("a directory that was exchanged for a link is the directory still", func(t *testing.T) {
		t.Parallel()
		outer, outside := t.TempDir(), t.TempDir()
		inner := filepath.Join(outer, "inner")
		sh, _, _ := landlocked(t, &shell.LandlockOptions{Write: []string{outer, inner}})
		run(t, sh, shell.ExecArgs{Command: "rmdir " + inner + " && ln -s " + outside + " " + inner})
		if r := run(t, sh, shell.ExecArgs{Command: "touch " + inner + "/f"}); r.Status != shell.StatusFailed {
			t.Errorf("a command wrote outside: %s", r.Status)
		}
	})
	t.Run("reading can be limited", func(t *testing.T) {
		t.Parallel()
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
			t.Fatal(err)
		}
		read := slices.DeleteFunc([]string{"/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"}, func(dir string) bool {
			_, err := os.Stat(dir)
			return err != nil
		})
		sh, _, l := landlocked(t, &shell.LandlockOptions{Read: read})
		if r := run(t, sh, shell.ExecArgs{Command: "ls /usr >/dev/null && ! cat " + secret + " 2>/dev/null && echo hidden"}); r.Output != "hidden\n" {
			t.Errorf("it says %q", r.Output)
		}
		if slices.Contains(l.Lacks(), "everything may be read that the host's user may read") {
			t.Errorf("it lacks %q", l.Lacks())
		}
	})
	t.Run("the network can be let be", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		sh, _, _ := landlocked(t, &shell.LandlockOptions{Network: true})
		r := run(t, sh, shell.ExecArgs{Command: fmt.Sprintf("echo x >/dev/tcp/127.0.0.1/%d", listener.Addr().(*net.TCPAddr).Port)})
		if r.Status != shell.StatusCompleted {
			t.Errorf("%s: %q", r.Status, r.Output)
		}
	})
}

func TestALandlockThatIsNotUsable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		dir  string
		o    shell.LandlockOptions
		want arc.Code
	}{
		{"a kernel that is too old for what is wanted", "", shell.LandlockOptions{ABI: 1000}, shell.SandboxUnavailable},
		{"a project that is not there", "/no/such/project", shell.LandlockOptions{}, shell.SandboxUnavailable},
		{"a shell that may not be read", "", shell.LandlockOptions{Read: []string{"/etc"}}, shell.SandboxUnavailable},
		{"no place for temporary files", "", shell.LandlockOptions{TempDir: "/no/such/place"}, shell.SandboxUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.dir == "" {
				c.dir = t.TempDir()
			}
			if c.o.TempDir == "" {
				c.o.TempDir = t.TempDir()
			}
			l, err := shell.NewLandlock(t.Context(), c.dir, &c.o)
			if wantCode(t, err, c.want); l != nil {
				t.Error("there is a runner all the same")
			}
			if left, err := filepath.Glob(filepath.Join(c.o.TempDir, "*")); err != nil || len(left) != 0 {
				t.Errorf("it has left %v, %v", left, err)
			}
		})
	}
	t.Run("it runs nothing once it is closed", func(t *testing.T) {
		t.Parallel()
		sh, _, l := landlocked(t, nil)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := sh.Exec(t.Context(), me, shell.ExecArgs{Command: "true"})
		wantCode(t, err, arc.ShuttingDown)
	})
}

func TestTheDirectoryForTemporaryFiles(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	stale := filepath.Join(parent, "arc-shell-123")
	if err := os.MkdirAll(filepath.Join(stale, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	sh, _, l := landlocked(t, &shell.LandlockOptions{TempDir: parent})
	if _, err := os.Stat(stale); err == nil {
		t.Error("that of a host that was killed is still there")
	}
	one := strings.TrimSpace(run(t, sh, shell.ExecArgs{Command: "echo $TMPDIR"}).Output)
	sh2, _, _ := landlocked(t, &shell.LandlockOptions{TempDir: parent})
	two := strings.TrimSpace(run(t, sh2, shell.ExecArgs{Command: "echo $TMPDIR"}).Output)
	if one == two {
		t.Errorf("two hosts share %s", one)
	}
	info, err := os.Stat(one)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("that of the first is %v, %v", info, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(one); err == nil {
		t.Error("it is still there after Close")
	}
}

// The first thread of a process cannot die with its goroutine, so it must not be confined.
func TestLandlockFromEveryThread(t *testing.T) {
	t.Parallel()
	sh, _, _ := landlocked(t, nil)
	done := make(chan string)
	const commands = 4
	for i := range commands {
		go func() {
			var bad string
			for range 5 {
				r, err := sh.Exec(t.Context(), arc.Origin{Seat: arc.SeatID(fmt.Sprint(i))}, shell.ExecArgs{
					Command: fmt.Sprintf("kill -0 %d 2>/dev/null && echo reached the host; touch /tmp/arc-shell-outside 2>/dev/null && echo wrote outside", os.Getpid()),
				})
				if err != nil {
					bad = err.Error()
				} else if r.Output != "" {
					bad = r.Output
				}
			}
			done <- bad
		}()
	}
	for range commands {
		if bad := <-done; bad != "" {
			t.Error(bad)
		}
	}
	b, err := os.ReadFile("/proc/self/status")
	if err != nil || !strings.Contains(string(b), "NoNewPrivs:\t0") {
		t.Errorf("the first thread has given up privileges, or %v", err)
	}
}

func TestGoTestWorksUnderLandlock(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path")
	}
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := strings.TrimSpace(string(out)) // the user's, so that the test does not compile the standard library
	project := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example\n\ngo 1.25\n",
		"x.go":      "package example\n\nfunc Two() int { return 2 }\n",
		"x_test.go": "package example\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal()\n\t}\n\tif err := os.WriteFile(t.TempDir()+\"/f\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := shell.NewLandlock(context.Background(), project, &shell.LandlockOptions{Write: []string{cache}, TempDir: t.TempDir()})
	if err != nil {
		if kernelABI() < 6 {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	defer l.Close()
	sh := openIn(t, project, &shell.Options{
		Runner: l, Env: []string{"GOCACHE=" + cache, "GOFLAGS=", "GOTOOLCHAIN=local"},
		Limits: shell.Limits{MaxBlockBudget: 10 * time.Minute}, // with a cold cache it compiles a lot
	})
	r := run(t, sh, shell.ExecArgs{Command: "go test -vet=off . | sed 's/\t[0-9.]*s$//'", TimeoutSec: new(600.0), BlockBudgetSec: new(600.0)})
	if r.Output != "ok  \texample\n" {
		t.Errorf("%s: %q, %s", r.Status, r.Output, r.Hint)
	}
}
