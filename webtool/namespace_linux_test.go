package webtool_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
)

const namespaceEnv = "WEBTOOL_TEST_NAMESPACE"

// TestPublicAddressesForReal runs in a network namespace of its own, where public
// addresses lead to servers of this test: nothing stands in for the resolver's protocol,
// the system calls that connect, or the addresses of the interfaces.
func TestPublicAddressesForReal(t *testing.T) {
	if os.Getenv(namespaceEnv) == "" {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("unshare", "-n", "true").CombinedOutput(); err != nil {
			t.Skipf("there can be no network namespace here: %v %s", err, out)
		}
		if _, err := exec.LookPath("ip"); err != nil {
			t.Skip("there is no ip command")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "unshare", "-n", exe, "-test.run=^TestPublicAddressesForReal$", "-test.v")
		cmd.Env = append(os.Environ(), namespaceEnv+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	for _, args := range []string{
		"link set lo up",
		"addr add 93.184.216.34/32 dev lo",             // this machine's, although public
		"route add local 93.184.217.0/24 dev lo",       // somebody else's: no interface has it
		"-6 route add local 2606:2800:220::/48 dev lo", // likewise
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			if strings.HasPrefix(args, "-6") {
				t.Logf("no IPv6 here: %s", out)
				continue
			}
			t.Fatalf("ip %s: %v %s", args, err, out)
		}
	}
	inside := listenOn(t, "127.0.0.1:8080", "93.184.216.34:8080", "10.0.0.1:8080")
	public := serveOn(t, "93.184.217.34:80")
	rebound := atomic.Int32{}
	dns := serveDNS(t, func(name string) [4]byte {
		switch name {
		case "public.example.":
			return [4]byte{93, 184, 217, 34}
		case "inward.example.":
			return [4]byte{127, 0, 0, 1}
		case "own.example.":
			return [4]byte{93, 184, 216, 34}
		}
		if rebound.Add(1)%2 == 1 {
			return [4]byte{93, 184, 217, 34}
		}
		return [4]byte{127, 0, 0, 1}
	})
	w := webtool.New(&webtool.Options{
		Limits: webtool.Limits{PerMinute: 1000},
		Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", dns)
		}},
	})
	defer w.Close()
	for _, url := range []string{"http://public.example/page", "http://93.184.217.34/page"} {
		if r := fetch(t, w, url); !strings.HasPrefix(r.Text, "hello from /page") {
			t.Errorf("%s is %+v", url, r)
		}
	}
	for _, url := range []string{
		"http://inward.example:8080/", "http://own.example:8080/", "http://93.184.216.34:8080/", "http://127.0.0.1:8080/", "http://10.0.0.1:8080/",
		"http://public.example/to?http://127.0.0.1:8080/", "http://public.example/to?http://inward.example:8080/", "http://public.example/to?http://93.184.216.34:8080/",
	} {
		refused(t, w, webtool.Reader{}, url, webtool.BlockedAddress)
	}
	served := 0
	for i := range 40 { // the name leads here and there in turn; a new port each time makes a new connection
		_, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: fmt.Sprintf("http://rebind.example/%d", i)})
		if err == nil {
			served++
		}
		if i%3 == 0 {
			_, _ = w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: fmt.Sprintf("http://rebind.example:8080/%d", i)})
		}
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("%d connections came in", n)
	}
	if served == 0 || public.Load() == 0 {
		t.Error("the public server was not reached")
	}
	// Full Access reaches both, which shows that the listeners are there.
	if _, err := w.Fetch(t.Context(), webtool.Reader{Access: arc.FullAccess}, webtool.FetchArgs{URL: "http://own.example:8080/"}); err != nil || inside.Load() != 1 {
		t.Errorf("Full Access: %v, %d connections", err, inside.Load())
	}
	t.Logf("the public server answered %d requests, %d connections came in from Safe rooms", public.Load(), inside.Load()-1)
}

// listenOn counts the connections to addresses of this machine.
func listenOn(t *testing.T, addrs ...string) *atomic.Int32 {
	t.Helper()
	n := &atomic.Int32{}
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Logf("%v", err) // 10.0.0.1 is nobody's
			continue
		}
		s := &http.Server{Handler: page("text/plain", "secret"), ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				n.Add(1)
			}
		}}
		done := make(chan struct{})
		go func() { s.Serve(l); close(done) }()
		t.Cleanup(func() { s.Close(); <-done })
	}
	return n
}

func serveOn(t *testing.T, addr string) *atomic.Int32 {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	n := &atomic.Int32{}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		if r.URL.Path == "/to" {
			http.Redirect(w, r, r.URL.RawQuery, http.StatusFound)
			return
		}
		page("text/plain", "hello from "+r.URL.Path)(w, r)
	})}
	done := make(chan struct{})
	go func() { s.Serve(l); close(done) }()
	t.Cleanup(func() { s.Close(); <-done })
	return n
}

// serveDNS answers questions for IPv4 addresses over UDP.
func serveDNS(t *testing.T, answer func(name string) [4]byte) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
					Body:   &dnsmessage.AResource{A: answer(q.Name.String())},
				}}
			}
			if b, err := m.Pack(); err == nil {
				c.WriteTo(b, from)
			}
		}
	}()
	t.Cleanup(func() { c.Close(); <-done })
	return c.LocalAddr().String()
}
