package worker

import (
	"bufio"
	"context"
	"io"
	"os"
	"time"

	"github.com/arcseat/arc/docs"
)

// serve answers requests about one file with engine until in ends. A reply goes
// out as soon as it is known, so that the host sees which page a crash belongs
// to and how long each took, unless the request says that replies may be gathered.
func serve(in io.Reader, out io.Writer, file *os.File, engine docs.Engine) error {
	s := &server{engine: engine, file: file, out: &sender{out: out}}
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
	out    *sender
	doc    docs.Document // nil: not open
}

func (s *server) close() {
	_ = s.out.flush()
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
		return s.out.send(reply{Error: wordOf(err, "damaged")}, "", false)
	case q.Op == opInfo && s.doc != nil:
		ctx, cancel := context.WithTimeout(context.Background(), q.Limit)
		defer cancel()
		info, err := s.doc.Info(ctx)
		if err != nil {
			return s.out.send(reply{Error: wordOf(err, "damaged")}, "", false)
		}
		checkInfo(&info)
		return s.out.send(reply{Info: &info}, "", false)
	case q.Op == opPages && s.doc != nil:
		for n := q.First; n <= q.Last; n++ {
			if more, err := s.page(n, q); err != nil || !more {
				return err
			}
		}
		return s.out.flush()
	}
	return errFrame
}

// page sends page n, and then its ink by itself, so that the host knows which of
// the two costs too much. more is false after the document's own error.
func (s *server) page(n int, q request) (more bool, err error) {
	r, text, failed := s.read(n, q.Want&^docs.WantInk, q.Limit)
	if failed != nil {
		return false, s.out.send(reply{Error: wordOf(failed, "damaged")}, "", false)
	}
	drawn := q.Want&docs.WantInk != 0 && r.Error == ""
	if err := s.out.send(reply{Page: r}, text, q.Gather && !drawn); err != nil || !drawn {
		return true, err
	}
	ink, _, failed := s.read(n, docs.WantInk, q.Limit)
	if failed != nil {
		return false, s.out.send(reply{Error: wordOf(failed, "damaged")}, "", false)
	}
	return true, s.out.send(reply{Page: ink}, "", q.Gather)
}

func (s *server) read(n int, want docs.Want, limit time.Duration) (*page, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ps, err := s.doc.Pages(ctx, n, n, want)
	switch {
	case len(ps) == 0 && wordOf(err, "") == "timeout": // the page's time, not the document's end
		return &page{Number: n, Error: "timeout"}, "", nil
	case err != nil:
		return nil, "", err
	case len(ps) != 1:
		return &page{Number: n, Error: "page"}, "", nil
	}
	p := ps[0]
	if want == docs.WantInk && !p.HasInk && p.Err == nil && ctx.Err() != nil {
		p.Err = docs.ErrTimeout // it gave up: the host is not to ask again
	}
	r := &page{Number: n, Label: cut(p.Label, maxLabel), Ink: p.Ink, HasInk: p.HasInk, Warnings: words(p.Warnings), Error: wordOf(p.Err, "page")}
	if len(p.Text) > maxText {
		return &page{Number: n, Error: "memory"}, "", nil
	}
	return r, p.Text, nil
}
