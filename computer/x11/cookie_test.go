//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bytes"
	"testing"
)

func entry(family uint16, fields ...string) []byte {
	b := []byte{byte(family >> 8), byte(family)}
	for _, f := range fields {
		b = append(b, byte(len(f)>>8), byte(len(f)))
		b = append(b, f...)
	}
	return b
}

func TestTheCookieOfADisplayIsFound(t *testing.T) {
	t.Parallel()
	file := bytes.Join([][]byte{
		entry(familyLocal, "elsewhere", "1", cookieName, "elsewhere's cook"),
		entry(familyLocal, "here", "2", cookieName, "of display 2...."),
		entry(familyLocal, "here", "1", "XDM-AUTHORIZATION-1", "another protocol"),
		entry(familyLocal, "here", "1", cookieName, "of display 1...."),
		entry(familyWild, "", "", cookieName, "of any display.."),
	}, nil)
	for _, c := range []struct{ name, host, number, want string }{
		{"by host and number", "here", "1", "of display 1...."},
		{"another number", "here", "2", "of display 2...."},
		{"none of its own", "here", "3", "of any display.."},
		{"another host", "there", "1", "of any display.."},
	} {
		if got := findCookie(bytes.NewReader(file), c.host, c.number); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for n := range len(file) - 40 {
		findCookie(bytes.NewReader(file[:n]), "nobody", "9") // a file that is cut must not be trouble
	}
	if got := findCookie(bytes.NewReader(file[:40]), "there", "1"); got != nil {
		t.Errorf("there is none and it is %q", got)
	}
}

func TestTheNamesOfDisplays(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]address{
		":1":               {socket: "/tmp/.X11-unix/X1", number: 1},
		":12.3":            {socket: "/tmp/.X11-unix/X12", number: 12, screen: 3},
		"unix:0":           {socket: "/tmp/.X11-unix/X0"},
		"localhost:10.0":   {host: "localhost", number: 10},
		"tcp/far:1":        {network: "tcp", host: "far", number: 1},
		"[::1]:2":          {host: "::1", number: 2},
		"/tmp/launch/xq:0": {socket: "/tmp/launch/xq:0"},
	} {
		if got, err := parseDisplay(name); err != nil || got != want {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "1", ":", ":a", ":-1", ":1.x", "host"} {
		if got, err := parseDisplay(name); err == nil {
			t.Errorf("%q is %+v", name, got)
		}
	}
}
