package mcptool

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc/internal/proc"
)

// How long a child may take to end: by itself once its input is closed, and then once it
// is asked to. What is left after that is killed, with all that it has started.
const (
	hangUpGrace = time.Second
	endGrace    = 2 * time.Second
)

// lastWords is how long the output of a child that has ended is read, at most.
const lastWords = time.Second

// A process is a service's child, and all that it has started.
type process struct {
	group  *proc.Group
	stderr *proc.Pipe
	said   *sayings
	conn   *lines
	mark   proc.Mark   // that all of it carries
	watch  *proc.Watch // that ends it if this process is killed
}

// startProcess starts s.Command.
func startProcess(s *Service, sv *sieve, log *slog.Logger) (*process, error) {
	program, err := exec.LookPath(s.Command[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, err
	}
	stdin, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	in, stdout, err := os.Pipe()
	if err != nil {
		out.Close()
		return nil, err
	}
	defer stdout.Close()
	p := &process{said: &sayings{log: log}, mark: proc.Mark{Setting: "ARC_SERVICE=" + rand.Text()}}
	var stderr *os.File
	if p.stderr, stderr, err = proc.NewPipe(p.said.hear); err != nil {
		out.Close()
		in.Close()
		return nil, err
	}
	defer stderr.Close()
	p.watch = proc.NewWatch(p.mark, endGrace)
	unwatched := p.watch.Start()
	p.group, err = proc.Start(proc.Command{
		Argv: append([]string{program}, s.Command[1:]...), Dir: s.Dir, Env: append(childEnv(os.Environ(), s.Env), p.mark.Setting),
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
	})
	if err != nil {
		out.Close()
		in.Close()
		p.stderr.Close()
		p.watch.Close()
		return nil, err
	}
	if unwatched == nil {
		unwatched = p.watch.Add(p.group.PID(), p.mark.Setting)
	}
	if unwatched != nil {
		log.Warn("a service is not watched over: it may live on if the host is killed", "err", unwatched)
	}
	p.conn = newLines(in, out, sv, log)
	go p.follow()
	return p, nil
}

// follow closes the connection when the child has ended, also where something that it
// started holds its output open: nobody is left to answer. What was said before is read.
func (p *process) follow() {
	select {
	case <-p.group.Done():
	case <-p.conn.closed:
		return
	}
	last := time.NewTimer(lastWords)
	defer last.Stop()
	select {
	case <-last.C:
		p.conn.Close()
	case <-p.conn.closed:
	}
}

// end ends the child and all that it has started. Closing hurry cuts every grace short.
func (p *process) end(hurry <-chan struct{}) {
	p.conn.hangUp()
	grace := time.NewTimer(hangUpGrace)
	defer grace.Stop()
	select {
	case <-p.group.Done():
	case <-grace.C:
	case <-hurry:
	}
	if n := proc.EndMarked(p.group, p.mark, endGrace, hurry); n > 0 {
		p.said.log.Error("processes of a service could not be ended", "left", n, "pid", p.group.PID())
	}
	p.watch.Close()
	p.stderr.Drain()
	p.stderr.Close()
	p.conn.Close()
}

// childVariables are what a service gets of the host's environment, as path.Match
// patterns. The keys of a host's models stand there too, so it is a short list; the
// operator adds to it by name.
var childVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// childVariablesWindows are in upper case, as Windows takes any case for the same.
var childVariablesWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES*", "HOMEDRIVE", "HOMEPATH", "PROCESSOR_ARCHITECTURE",
}

// childEnv is the environment of a child: of the host's what is listed, and what the
// operator adds.
func childEnv(host, added []string) []string {
	var env []string
	for _, pair := range host {
		name, _, ok := strings.Cut(pair, "=")
		if ok && name != "" && inherits(name) {
			env = append(env, pair)
		}
	}
	for _, pair := range added {
		name, _, set := strings.Cut(pair, "=")
		if !set {
			i := slices.IndexFunc(host, func(h string) bool { return strings.HasPrefix(h, name+"=") })
			if i < 0 {
				continue
			}
			pair = host[i]
		}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, pair)
	}
	return env
}

func inherits(name string) bool {
	listed := childVariables
	if runtime.GOOS == "windows" {
		name, listed = strings.ToUpper(name), slices.Concat(childVariables, childVariablesWindows)
	}
	return slices.ContainsFunc(listed, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// Limits of what is logged of a child's standard error.
const (
	maxSaying     = 500      // bytes of a line
	maxSayings    = 64 << 10 // bytes in each sayingsEvery
	sayingsEvery  = time.Minute
	maxLastSaying = 1 << 10
)

// sayings is what a child writes to its standard error: bounded lines of the log, and the
// last of it for whoever starts the child in vain.
type sayings struct {
	log *slog.Logger

	mu    sync.Mutex
	part  []byte // of a line that has no end yet
	since time.Time
	spent int
	last  []byte
}

func (s *sayings) hear(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = append(s.last, b[max(0, len(b)-maxLastSaying):]...)
	s.last = bytes.Clone(s.last[max(0, len(s.last)-maxLastSaying):])
	if now := time.Now(); now.Sub(s.since) > sayingsEvery {
		s.since, s.spent = now, 0
	}
	for len(b) > 0 && s.spent < maxSayings {
		line, rest, ends := bytes.Cut(b, []byte("\n"))
		s.part = append(s.part, line[:min(len(line), max(0, maxSaying-len(s.part)))]...)
		b = rest
		if !ends {
			break
		}
		if text := oneLine(string(s.part), maxSaying); text != "" {
			s.log.Info("a service says", "text", text)
		}
		s.part = s.part[:0]
		if s.spent += len(line) + 1; s.spent >= maxSayings {
			s.log.Warn("a service says too much; more is left out of the log for a while")
		}
	}
}

// end is the last of what was said.
func (s *sayings) end() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return oneLine(string(s.last), maxLastSaying)
}

// because joins why a start failed with what the child said of it.
func (p *process) because(err error) error {
	if said := p.said.end(); said != "" {
		return fmt.Errorf("%w; it says: %s", err, said)
	}
	return err
}
