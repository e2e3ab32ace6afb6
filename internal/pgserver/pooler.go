package pgserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNoPooler says that pgbouncer is not installed.
var ErrNoPooler = errors.New("pgbouncer is not installed: apt-get install pgbouncer")

// Pooler starts a pgbouncer in transaction mode before the server, on loopback, and tells its
// address. stop ends it.
func (s *Server) Pooler(ctx context.Context) (addr string, stop func(), err error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return "", nil, ErrNoPooler
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	config := filepath.Join(s.dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
postgres = host=127.0.0.1 port=%d dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
`, s.port, port)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return "", nil, err
	}
	c := exec.Command(program, "-q", config)
	if err := s.own(c); err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = c.Process.Signal(syscall.SIGKILL) // it keeps nothing
		_ = c.Wait()
	}
	addr = fmt.Sprintf("127.0.0.1:%d", port)
	for {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return addr, stop, nil
		}
		select {
		case <-ctx.Done():
			stop()
			return "", nil, errors.Join(ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
