package webtool

import (
	"bufio"
	"compress/gzip"
	"io"
)

// A gunzip reads a gzip stream, which may be of several members. What follows a whole
// one and is none is left out: some servers fill up with zeros, or with words of theirs.
type gunzip struct {
	src    *bufio.Reader
	member *gzip.Reader // nil: nothing was read yet
}

func newGunzip(r io.Reader) *gunzip { return &gunzip{src: bufio.NewReader(r)} }

func (g *gunzip) Read(p []byte) (int, error) {
	if g.member == nil {
		z, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err // io.EOF: it is empty
		}
		z.Multistream(false)
		g.member = z
	}
	for {
		n, err := g.member.Read(p)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		if head, _ := g.src.Peek(2); !isGzip(head) {
			return 0, io.EOF
		}
		switch err := g.member.Reset(g.src); err {
		case nil:
			g.member.Multistream(false)
		case gzip.ErrHeader:
			return 0, io.EOF
		default:
			return 0, err
		}
	}
}

func isGzip(head []byte) bool { return len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b }
