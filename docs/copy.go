package docs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/cancel"
)

// A private is the copy of a file that is parsed: nobody else can write to it.
type private struct {
	file   *os.File // only for reading
	size   int64
	sha256 string
	head   []byte
	name   string // to remove at Close; empty: it has no name any more
}

func (p *private) Close() error {
	err := p.file.Close()
	if p.name != "" {
		err = errors.Join(err, os.Remove(p.name))
	}
	return err
}

// newPrivate copies what r holds, up to limit bytes and one more.
func newPrivate(ctx context.Context, dir string, r io.Reader, limit int64) (*private, error) {
	w, err := os.CreateTemp(dir, "arc-document-*")
	if err != nil {
		return nil, copyFault(err)
	}
	p := &private{name: w.Name()}
	h := sha256.New()
	p.size, err = io.Copy(io.MultiWriter(h, copyWriter{w}), io.LimitReader(cancel.Reader(ctx, r), limit+1))
	if cerr := w.Close(); err == nil && cerr != nil {
		err = copyFault(cerr)
	}
	if err != nil {
		os.Remove(p.name)
		return nil, err
	}
	p.sha256 = hex.EncodeToString(h.Sum(nil))
	if p.file, err = os.Open(p.name); err != nil {
		os.Remove(p.name)
		return nil, copyFault(err)
	}
	if os.Remove(p.name) == nil { // Windows keeps the name of an open file
		p.name = ""
	}
	head := make([]byte, headBytes)
	n, err := p.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		p.Close()
		return nil, copyFault(err)
	}
	p.head = head[:n]
	return p, nil
}

// A copyWriter tells the copy's errors from those of what is copied.
type copyWriter struct{ w io.Writer }

func (c copyWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil {
		err = copyFault(err)
	}
	return n, err
}

// A version is what stands at a path now. Without a copy its hash was known.
type version struct {
	sha256 string
	size   int64
	copy   *private
}

// look opens the file at path and says which version it is. Only if its hash is not
// known, or fresh is set, it is copied; the copy is then the caller's.
func (l *Library) look(ctx context.Context, path string, fresh bool) (*version, error) {
	if l.files == nil {
		return nil, &arc.Error{Code: arc.Unavailable, Message: "there is no project whose files could be read; go on without.", Detail: map[string]string{"reason": "project"}}
	}
	f, err := l.files.OpenFile(ctx, path)
	if err != nil {
		return nil, l.sourceFault(ctx, err, path)
	}
	defer f.Close()
	for range 2 {
		before, err := f.Stat()
		if err != nil {
			return nil, fileFault(err, path)
		}
		if err := l.accept(before, path); err != nil {
			return nil, err
		}
		if sha256 := l.known.get(path, before); sha256 != "" && !fresh {
			return &version{sha256: sha256, size: before.Size()}, nil
		}
		began := time.Now()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, fileFault(err, path)
		}
		p, err := newPrivate(ctx, l.opts.TempDir, f, l.opts.MaxSize)
		if err != nil {
			return nil, l.sourceFault(ctx, err, path)
		}
		after, err := f.Stat()
		if err == nil && p.size == after.Size() && !differ(before, after) {
			l.known.put(path, after, began, p.sha256)
			return &version{p.sha256, p.size, p}, nil
		}
		p.Close()
	}
	return nil, fault(errMoved, path)
}

func (l *Library) sourceFault(ctx context.Context, err error, path string) error {
	if ctx.Err() != nil {
		return ended(ctx, path)
	}
	return fileFault(err, path)
}

// accept refuses what is not a file of a size that can be read.
func (l *Library) accept(info fs.FileInfo, path string) error {
	switch {
	case info.IsDir():
		return &arc.Error{Code: arc.IsDirectory, Message: fmt.Sprintf("%s is a directory; list it instead.", path), Detail: pathDetail{Path: path}}
	case !info.Mode().IsRegular():
		return &arc.Error{Code: arc.NotRegularFile, Message: fmt.Sprintf("%s is not a regular file; name one.", path), Detail: pathDetail{Path: path}}
	case info.Size() == 0:
		return &arc.Error{Code: NotPDF, Message: fmt.Sprintf("%s is empty, so it is not a PDF.", path), Detail: pathDetail{Path: path, Sniffed: sniff(nil)}}
	case info.Size() > l.opts.MaxSize:
		return tooLarge(path, info.Size(), l.opts.MaxSize)
	}
	return nil
}

func tooLarge(path string, size, limit int64) error {
	return &arc.Error{
		Code:    arc.TooLarge,
		Message: fmt.Sprintf("%s is larger than the documents that are read here; ask for a smaller one, or use a program in the shell.", path),
		Detail:  sizeDetail{path, size, limit},
	}
}

type sizeDetail struct {
	Path  string `json:"path,omitempty"` // empty: there is none
	Size  int64  `json:"size"`
	Limit int64  `json:"limit"`
}
