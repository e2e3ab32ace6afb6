//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

const cookieName = "MIT-MAGIC-COOKIE-1"

// Families of an Xauthority entry, as Xauth.h numbers them.
const (
	familyLocal = 256
	familyWild  = 65535
)

// hello is the first request of a connection: little-endian, protocol 11.0, and the
// cookie, if there is one.
func hello(cookie []byte) []byte {
	b := []byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if cookie == nil {
		return b
	}
	binary.LittleEndian.PutUint16(b[6:], uint16(len(cookieName)))
	binary.LittleEndian.PutUint16(b[8:], uint16(len(cookie)))
	return append(padded(append(b, cookieName...)), padded(cookie)...)
}

func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// introduced is a connection whose first message is ours instead of the library's,
// which looks for cookies in the process's environment alone.
type introduced struct {
	net.Conn
	hello []byte
}

func (c *introduced) Write(b []byte) (int, error) {
	if c.hello == nil {
		return c.Conn.Write(b)
	}
	_, err := c.Conn.Write(c.hello)
	c.hello = nil
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// cookie finds the display's cookie in an Xauthority file: nil if there is none.
func cookie(file string, at address) []byte {
	if file == "" {
		file = os.Getenv("XAUTHORITY")
	}
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		file = filepath.Join(home, ".Xauthority")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	host := at.host
	if host == "" || host == "localhost" {
		host, _ = os.Hostname()
	}
	return findCookie(bufio.NewReader(f), host, strconv.Itoa(at.number))
}

// findCookie reads entries: a family, and four strings, each after its length, all
// numbers being two bytes with the higher one first.
func findCookie(r io.Reader, host, number string) []byte {
	for {
		var family uint16
		if binary.Read(r, binary.BigEndian, &family) != nil {
			return nil
		}
		var fields [4]string // address, number, name, data
		for i := range fields {
			var n uint16
			if binary.Read(r, binary.BigEndian, &n) != nil {
				return nil
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(r, b); err != nil {
				return nil
			}
			fields[i] = string(b)
		}
		here := family == familyWild || family == familyLocal && fields[0] == host || family < familyLocal
		if here && (fields[1] == "" || fields[1] == number) && fields[2] == cookieName {
			return []byte(fields[3])
		}
	}
}
