package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxFrame is the most that one frame carries, in bytes. Neither side reads or
// allocates more on the other's word.
const maxFrame = 16 << 20

// maxHeader is the most that the JSON at the head of a frame takes, in bytes:
// metadata and words, never text of a page.
const maxHeader = 1 << 20

// errFrame is the other side's breach of the protocol.
var errFrame = errors.New("not a frame")

// A frame is, in this order: its length in four bytes, most significant first;
// the length of its header in four bytes; the header, JSON; the body, which is
// the text of a page as it is. The first length counts all that follows it.

// writeFrame sends a header and a body with one write, so that a process that
// is killed in between leaves a frame that is too short and never a wrong one.
func writeFrame(w io.Writer, header any, body string) error {
	b, err := appendFrame(nil, header, body)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// appendFrame adds a frame to b, or nothing with an error.
func appendFrame(b []byte, header any, body string) ([]byte, error) {
	head, err := json.Marshal(header)
	if err != nil {
		return b, err
	}
	n := 4 + len(head) + len(body)
	if n > maxFrame || len(head) > maxHeader {
		return b, fmt.Errorf("%w: %d bytes are too many", errFrame, n)
	}
	b = slices.Grow(b, 4+n)
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	b = binary.BigEndian.AppendUint32(b, uint32(len(head)))
	return append(append(b, head...), body...), nil
}

// readFrame reads a frame into header, and returns its body. Memory is taken as
// the bytes come, so that a length alone costs nothing. The error is io.EOF only
// if nothing at all came.
func readFrame(r io.Reader, header any) (body string, err error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return "", err
	}
	n, h := binary.BigEndian.Uint32(lengths[:4]), binary.BigEndian.Uint32(lengths[4:])
	if n < 4 || n > maxFrame || h > maxHeader || h > n-4 {
		return "", fmt.Errorf("%w: its lengths are %d and %d", errFrame, n, h)
	}
	head, err := readBytes(r, int(h))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(head, header); err != nil {
		return "", fmt.Errorf("%w: %w", errFrame, err)
	}
	text, err := readBytes(r, int(n-4-h))
	return string(text), err
}

// chunk is how much memory an announced length is worth before its bytes are
// there.
const chunk = 64 << 10

func readBytes(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, chunk))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(n, 4*cap(b))), b...)
		}
		got, err := io.ReadFull(r, b[len(b):min(n, cap(b))])
		b = b[:len(b)+got]
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return b, nil
}
