package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/tools"
)

// OutputArgs ask for a page of a command's output.
type OutputArgs struct {
	_ tools.Closed

	SpoolID  string `json:"spool_id" jsonschema_description:"from shell_exec or shell_job"`
	Offset   int64  `json:"offset,omitempty" jsonschema:"minimum=0,default=0" jsonschema_description:"first byte"`
	MaxBytes *int   `json:"max_bytes,omitempty" jsonschema:"minimum=1,maximum=65536,default=65536" jsonschema_description:"page size"`
}

// An OutputResult is a page of a command's output, as it was said: unlike a
// preview it is not cleaned. The next page begins at Offset + Bytes, always.
type OutputResult struct {
	SpoolID    string `json:"spool_id"`       // as it was asked for
	Offset     int64  `json:"offset"`         // of the page's first byte
	Bytes      int64  `json:"bytes"`          // of raw output
	Output     string `json:"-"`              // UTF-8; each invalid byte is one U+FFFD
	EOF        bool   `json:"eof"`            // the output ends here for good
	TotalBytes int64  `json:"total_bytes"`    // of the output so far
	Running    bool   `json:"running"`        // more may come
	Gap        bool   `json:"gap,omitempty"`  // these Bytes were not kept; Output says so
	Hint       string `json:"hint,omitempty"` // what to do next, for the model

	Next *arc.Next `json:"-"` // the next page; nil at the end, and while there is nothing new
}

// Output returns a page of a command's output to the seat that owns it. A page
// ends before a character that it cannot hold whole, and where its text would
// pass 64 KiB; it may be up to 4 bytes even if fewer were asked for, so that each
// page moves on. Pages joined are the whole decoded. Codes: not_found, expired,
// out_of_range with the total, invalid_arguments, io_error.
func (s *Shell) Output(ctx context.Context, seat arc.SeatID, a OutputArgs) (*OutputResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	size := pageBytes
	if a.MaxBytes != nil {
		size = min(*a.MaxBytes, pageBytes)
	}
	if a.Offset < 0 || size < 1 {
		return nil, invalid("range", "offset must be 0 or more and max_bytes 1 or more.")
	}
	r, err := s.spool(seat, a.SpoolID)
	if err != nil {
		return nil, err
	}
	p, err := r.spool.page(a.Offset, size)
	if err != nil {
		return nil, r.readError(err)
	}
	if a.Offset > p.bounds.total {
		return nil, &arc.Error{
			Code:    arc.OutOfRange,
			Message: fmt.Sprintf("the output has %d bytes; ask for an offset of at most that.", p.bounds.total),
			Detail:  map[string]int64{"total": p.bounds.total},
		}
	}
	res := &OutputResult{
		SpoolID: r.id, Offset: a.Offset, Bytes: p.size, Output: p.text, TotalBytes: p.bounds.total, Running: p.bounds.open,
		EOF: !p.bounds.open && a.Offset+p.size == p.bounds.total, Gap: p.gap,
	}
	switch {
	case res.EOF:
	case res.Bytes > 0:
		res.Next = outputCall(r.id, a.Offset+p.size, a.MaxBytes)
	default:
		res.Hint = "nothing new yet; do other work first"
	}
	return res, nil
}

// outputCall is the literal call for a page.
func outputCall(id string, offset int64, size *int) *arc.Next {
	return &arc.Next{Tool: outputName, Arguments: struct {
		SpoolID  string `json:"spool_id"`
		Offset   int64  `json:"offset"`
		MaxBytes *int   `json:"max_bytes,omitempty"`
	}{id, offset, size}}
}

// spool finds a seat's run by its spool's id. Codes: not_found, expired.
func (s *Shell) spool(seat arc.SeatID, id string) (*run, error) {
	r, err := s.lookup(id)
	if err != nil || r.origin.Seat != seat {
		return nil, &arc.Error{
			Code:    arc.NotFound,
			Message: "there is no such output; take a spool_id that a result of yours has named.",
			Detail:  notFound{Kind: "spool", Recent: s.recent(seat, func(r *run) string { return r.id })},
		}
	}
	if e, err := s.store.Get(id); err != nil || e.Dropped {
		return nil, expired(id)
	}
	return r, nil
}

// recent names a seat's last five of what name knows; an empty name is passed
// over.
func (s *Shell) recent(seat arc.SeatID, name func(*run) string) []string {
	var ids []string
	for _, r := range s.of(seat) {
		if id := name(r); id != "" {
			ids = append(ids, id)
		}
	}
	return ids[max(0, len(ids)-5):]
}

// readError turns an error of a spool's file into one for the model.
func (r *run) readError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return expired(r.id)
	}
	return &arc.Error{Code: arc.IOError, Message: "the kept output cannot be read; run the command again if you need it.", Err: err}
}

// A rawPage is one page of a spool.
type rawPage struct {
	text   string
	size   int64 // of raw bytes
	gap    bool
	bounds bounds
}

// page reads up to size bytes from off on, or the gap that off is in.
func (s *spool) page(off int64, size int) (rawPage, error) {
	raw, b, err := s.readMasked(s.mask(), off, max(size, utf8.UTFMax))
	if err != nil {
		return rawPage{}, err
	}
	if len(raw) == 0 {
		if off >= b.head && off < b.tail {
			n := b.tail - off
			return rawPage{gap: true, size: n, bounds: b, text: fmt.Sprintf("[%s bytes were not kept]\n", grouped(n))}, nil
		}
		return rawPage{bounds: b}, nil
	}
	ends := off+int64(len(raw)) == b.total && !b.open || off+int64(len(raw)) == b.head && b.dropped() > 0
	text, n := decodePage(raw, size, ends)
	return rawPage{text: text, size: int64(n), bounds: b}, nil
}

// decodePage decodes at most size bytes of raw, or one character if that is
// longer, and says how many it took. If raw is not the end of its text, it holds
// back a character that may be completed by what follows.
func decodePage(raw []byte, size int, ends bool) (string, int) {
	n := min(size, len(raw))
	if n < len(raw) || !ends {
		n = page.Whole(raw[:n])
	}
	if n == 0 && (ends || utf8.FullRune(raw)) {
		_, n = utf8.DecodeRune(raw)
	}
	out := make([]byte, 0, n)
	i := 0
	for i < n {
		r, w := utf8.DecodeRune(raw[i:n])
		if len(out)+utf8.RuneLen(r) > bodyBytes {
			break
		}
		out = utf8.AppendRune(out, r)
		i += w
	}
	return string(out), i
}
