package worker

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/arcseat/arc/docs"
)

// serve answers requests about one file with engine until in ends. A reply goes
// out as soon as it is known, so that the host sees which page a crash belongs
// to and how long each took.
func serve(in io.Reader, out io.Writer, file *os.File, engine docs.Engine) error {
	s := &server{engine: engine, file: file, out: out}
	defer s.close()
	for r := bufio.NewReader(in); ; {
		var q request
		if _, err := readFrame(r, &q); err != nil {
			return err
		}
		if err := s.answer(q); err != nil {
			return err
		}
	}
}

type server struct {
	engine docs.Engine
	file   *os.File
	out    io.Writer
	doc    docs.Document // nil: not open
}

func (s *server) close() {
	if s.doc != nil {
		s.doc.Close()
	}
}

func (s *server) answer(q request) error {
	switch {
	case q.Op == opOpen && s.doc == nil:
		ctx, cancel := context.WithTimeout(context.Background(), q.Limit)
		defer cancel()
		d, err := s.engine.Open(ctx, docs.Source{File: s.file, Size: q.Size, SHA256: q.SHA256}, docs.OpenOptions{Password: q.Password})
		if err == nil {
			s.doc = d
		}
		return writeFrame(s.out, reply{Error: wordOf(err, "damaged")}, "")
	case q.Op == opInfo && s.doc != nil:
		ctx, cancel := context.WithTimeout(context.Background(), q.Limit)
		defer cancel()
		info, err := s.doc.Info(ctx)
		if err != nil {
			return writeFrame(s.out, reply{Error: wordOf(err, "damaged")}, "")
		}
		checkInfo(&info)
		return writeFrame(s.out, reply{Info: &info}, "")
	case q.Op == opPages && s.doc != nil:
		for n := q.First; n <= q.Last; n++ {
			if more, err := s.page(n, q); err != nil || !more {
				return err
			}
		}
		return nil
	}
	return errFrame
}

// page sends page n, or the document's own error; more is false after that.
func (s *server) page(n int, q request) (more bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), q.Limit)
	defer cancel()
	ps, err := s.doc.Pages(ctx, n, n, q.Want)
	switch {
	case wordOf(err, "") == "timeout" && len(ps) == 0: // the page's time, not the document's end
		return true, writeFrame(s.out, reply{Page: &page{Number: n, Error: "timeout"}}, "")
	case err != nil:
		return false, writeFrame(s.out, reply{Error: wordOf(err, "damaged")}, "")
	case len(ps) != 1:
		return true, writeFrame(s.out, reply{Page: &page{Number: n, Error: "page"}}, "")
	}
	p := ps[0]
	r := &page{Number: n, Label: cut(p.Label, maxLabel), Ink: p.Ink, HasInk: p.HasInk, Warnings: words(p.Warnings), Error: wordOf(p.Err, "page")}
	if len(p.Text) > maxText {
		r.Error, p.Text = "memory", ""
	}
	return true, writeFrame(s.out, reply{Page: r}, p.Text)
}
