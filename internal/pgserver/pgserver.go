// Package pgserver starts PostgreSQL for tests and benchmarks: on loopback, with a data directory of its
// own that is gone afterwards. It uses the programs that the system has installed, and needs
// neither rights nor a configuration. It allows 500 connections, where a server that was just
// installed allows 100: a host has up to nine (postgres.Options), and the tests of seat/postgres
// alone, which run many hosts, take some 100 where two run side by side, and more where more do.
package pgserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Options of Start. Nil is fine.
type Options struct {
	// Settings are further ones of the server, such as fsync=off. Default: none.
	Settings []string
}

// A Server is a PostgreSQL that was started here.
type Server struct {
	dir, bin string
	port     int
	settings []string
	process  *exec.Cmd
	ended    chan struct{}
}

// ErrMissing says that the server's programs are not installed.
var ErrMissing = errors.New("PostgreSQL is not installed: apt-get install postgresql")

// Start makes a database cluster and starts a server on it. The caller closes it.
func Start(ctx context.Context, o *Options) (*Server, error) {
	o = cmp.Or(o, &Options{})
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "arc-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, settings: o.Settings}
	if err := s.make(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Begin(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// binaries is the folder of the newest server that is installed.
func binaries() (string, error) {
	if p, err := exec.LookPath("initdb"); err == nil {
		p, err = filepath.EvalSymlinks(p) // the others stand beside the real one
		return filepath.Dir(p), err
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", ErrMissing
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(major(a), major(b)) })
	return filepath.Dir(found[len(found)-1]), nil
}

// major is the version in such a path.
func major(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return n
}

// make makes the cluster, by a user who is not root: the server refuses that one.
func (s *Server) make(ctx context.Context) error {
	c := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", filepath.Join(s.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	if err := s.own(c); err != nil {
		return err
	}
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// Begin starts the server, after Stop or Crash again at the same address, and waits until
// it answers.
func (s *Server) Begin(ctx context.Context) error {
	if s.port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	args := []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=500"}
	for _, set := range s.settings {
		args = append(args, "-c", set)
	}
	c := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	if err := s.own(c); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait() // it was told to end
	}()
	s.process, s.ended = c, ended
	for {
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), s.why())
		case <-ended:
			return s.why()
		case <-time.After(20 * time.Millisecond):
		}
		if exec.CommandContext(ctx, filepath.Join(s.bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(s.port)).Run() == nil {
			return nil
		}
	}
}

// why is the end of the server's log.
func (s *Server) why() error {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return fmt.Errorf("the server did not start: %s", bytes.TrimSpace(b[max(0, len(b)-1000):]))
}

// Addr is where the server listens.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// URL is that of its database.
func (s *Server) URL() string { return At(s.Addr()) }

// At is the URL of the database when it is reached through another address.
func At(addr string) string { return "postgres://postgres@" + addr + "/postgres?sslmode=disable" }

// Stop ends the server in good order: whoever is connected is thrown out.
func (s *Server) Stop() { s.end(os.Interrupt) }

// Crash ends the server at once, without a word to anybody and with nothing tidied up.
func (s *Server) Crash() { s.end(quit) }

func (s *Server) end(how os.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(how) // it may have ended by itself
	<-s.ended
	s.process = nil
}

// Close ends the server and removes its data.
func (s *Server) Close() error {
	s.end(quit)
	return os.RemoveAll(s.dir)
}
