package local_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/examples/local"
)

// actAs is a variable that makes a program of the test binary: one that writes to where
// nobody reads, and says on standard error whether that has ended it.
const actAs = "ARC_TEST_ACT_AS"

const longTime = time.Minute // a guard against what never comes

func perform(as string) int {
	ctx, stop := local.Interruptible()
	defer stop()
	switch as {
	case "a program without a reader":
		for range 2 { // the second write finds that the signal is still taken
			for ctx.Err() == nil {
				fmt.Println("line")
			}
			fmt.Println("the end")
		}
	case "a server that is hung up on":
		if err := writeUntilBroken(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond): // for a signal on its way
		}
	}
	fmt.Fprintln(os.Stderr, "ended:", ctx.Err() != nil)
	return 0
}

// writeUntilBroken writes to a connection whose other end is closed.
func writeUntilBroken() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	peer, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	peer.Close()
	for n := 0; ; n++ { // one write may come before the news; after it each raises the signal
		if _, err := conn.Write([]byte("line\n")); err != nil && n > 20 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

func TestInterruptible(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE")
	}
	for as, tt := range map[string]struct {
		closes bool // its standard output
		said   string
	}{
		"a program without a reader":  {true, "ended: true"},
		"a server that is hung up on": {false, "ended: false"},
	} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), actAs+"="+as)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			errs, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer time.AfterFunc(longTime, func() { cmd.Process.Kill() }).Stop()
			if tt.closes {
				out.Close()
			}
			said, _ := bufio.NewReader(errs).ReadString('\n')
			if err := cmd.Wait(); err != nil || strings.TrimSpace(said) != tt.said {
				t.Errorf("it said %q, want %q; %v", said, tt.said, err)
			}
		})
	}
}
