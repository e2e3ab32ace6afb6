package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

// ReadArgs are the arguments of [Workspace.Read].
type ReadArgs struct {
	Path           string `json:"path" jsonschema_description:"relative path"`
	StartLine      int    `json:"start_line,omitempty" jsonschema:"default=1" check:"minimum=1" jsonschema_description:"first line"` // zero: 1
	StartCharacter int    `json:"start_character,omitempty" additive:"true" check:"minimum=0" jsonschema_description:"characters of that line to skip"`
}

// ReadResult is a slice of a file and the hash of the whole.
type ReadResult struct {
	Path               string   `json:"path"`                           // of the file
	ResolvedPath       string   `json:"resolved_path,omitempty"`        // where a link led
	SHA256             SHA256   `json:"sha256"`                         // of the whole file's raw bytes
	Size               int64    `json:"size"`                           // of the same, in bytes
	StartLine          int      `json:"start_line"`                     // counted from 1
	EndLine            int      `json:"end_line"`                       // the last line of which something is shown; StartLine-1: none
	TotalLines         int      `json:"total_lines"`                    // of the file
	Truncated          bool     `json:"truncated"`                      // something is missing behind the slice
	NextStartLine      int      `json:"next_start_line,omitempty"`      // 0: the file ends here
	NextStartCharacter int      `json:"next_start_character,omitempty"` // characters of that line to skip
	EOL                string   `json:"eol"`                            // lf, crlf, mixed or none
	BOM                bool     `json:"bom,omitempty"`                  // the file begins with a byte order mark
	FinalNewline       *bool    `json:"final_newline,omitempty"`        // false: the last line has no end
	Notes              []string `json:"notes,omitempty"`                // not_utf8_elsewhere, unstable

	Text string    `json:"-"` // the slice
	Next *arc.Next `json:"-"` // the call that goes on behind the slice
}

// Read shows a part of a text file: up to 2,000 lines or 64 KiB, whichever is
// reached first, and always something. A line that does not fit whole is cut
// behind a character; the next call goes on inside it. Characters are Unicode
// code points of the line as it is shown.
//
// In Text, CRLF is LF and a byte order mark is left out, as EOL and BOM say; a CR
// alone stays. The texts of a file's pages, joined, are exactly that form of the
// whole. SHA256 is of the file's raw bytes, read in the same pass, so the two
// belong to one version; a file that changes meanwhile is read once more, and is
// then "unstable" in Notes. Only the slice must be UTF-8.
//
// Codes: invalid_arguments, invalid_path, path_escape, protected_path (the host's
// state), not_found, is_directory, not_a_directory, not_regular_file, too_large
// (over Options.MaxRead), binary_file (a NUL in the first 8 KiB, or a PDF file
// whose slice is not UTF-8; see Options.PDFTool), not_utf8,
// out_of_range (total_lines says how far the file goes; one line behind the last is
// an empty slice), permission_denied, io_error.
func (ws *Workspace) Read(ctx context.Context, a ReadArgs) (*ReadResult, error) {
	if a.StartLine < 0 || a.StartCharacter < 0 {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "start_line must be at least 1.", Detail: map[string]string{"reason": "range"}}
	}
	a.StartLine = max(a.StartLine, 1)
	path, err := ws.parsePath(a.Path, false)
	if err != nil {
		return nil, err
	}
	res, moved, err := ws.readOnce(ctx, path, a)
	if err == nil && moved {
		if res, moved, err = ws.readOnce(ctx, path, a); err == nil && moved {
			res.Notes = append(res.Notes, "unstable")
		}
	}
	return res, err
}

// readOnce reads the file at path; moved says that it changed meanwhile.
func (ws *Workspace) readOnce(ctx context.Context, path relPath, a ReadArgs) (res *ReadResult, moved bool, err error) {
	p, err := ws.resolve(ctx, path)
	if err != nil {
		return nil, false, err
	}
	defer p.Close()
	f, before, err := ws.openFile(ctx, p)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if before.Size() > ws.opts.MaxRead {
		return nil, false, &arc.Error{
			Code:    arc.TooLarge,
			Message: fmt.Sprintf("%s is too large to read; search it, or use a program in the shell.", path),
			Detail:  sizeDetail{string(path), before.Size(), ws.opts.MaxRead},
		}
	}
	s := newSlicer(a.StartLine, a.StartCharacter)
	if err := s.readAll(ctx, bounded(f, before)); err != nil {
		return nil, false, ws.fault(err, path)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, false, ws.fault(err, path)
	}
	moved = changedBetween(before, after) || s.size != after.Size()
	res, err = s.result(path, ws.opts.PDFTool)
	if err == nil {
		res.ResolvedPath = p.linked()
	}
	return res, moved && err == nil, err
}

func changedBetween(a, b fs.FileInfo) bool {
	return a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())
}

const (
	readBuffer = 256 << 10
	binaryHead = 8 << 10 // bytes in which a NUL makes a file binary
)

// readAll passes the whole file through s.
func (s *slicer) readAll(ctx context.Context, f io.Reader) error {
	h := sha256.New()
	buf := make([]byte, readBuffer)
	held := 0 // bytes at the front of buf that wait for what follows them
	for eof := false; !eof; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(f, buf[held:])
		if eof = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !eof {
			return err
		}
		chunk := buf[:held+n]
		h.Write(chunk[held:])
		if s.size == 0 {
			s.head(chunk[:min(len(chunk), binaryHead)])
		}
		s.size += int64(n)
		used := s.feed(chunk, eof)
		held = copy(buf, chunk[used:])
	}
	s.sha256 = SHA256(hex.EncodeToString(h.Sum(nil)))
	return nil
}

// head looks at the file's first bytes.
func (s *slicer) head(b []byte) {
	if s.utf16 = utf16Guess(b); s.utf16 != "" {
		s.first = b[0]
	}
	s.pdf = bytes.HasPrefix(b, []byte("%PDF-"))
	s.binary = s.utf16 == "" && bytes.IndexByte(b, 0) >= 0
}

func utf16Guess(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
}

type notTextDetail struct {
	Path     string `json:"path"`
	Offset   *int64 `json:"offset,omitempty"` // in bytes
	Byte     string `json:"byte,omitempty"`
	Encoding string `json:"encoding_guess,omitempty"`
	Size     int64  `json:"size"`
	SHA256   SHA256 `json:"sha256"`
}

// result is what the whole pass came to; pdfTool is what reads PDF files, if anything
// does.
func (s *slicer) result(path relPath, pdfTool string) (*ReadResult, error) {
	if s.binary {
		return nil, s.notText(path, pdfTool)
	}
	if s.utf16 != "" {
		return nil, s.notUTF8(path, 0, s.first, s.utf16)
	}
	if s.missing() {
		return nil, s.outOfRange(path)
	}
	text, used := s.cut()
	bad := firstInvalid(s.raw[:used])
	switch {
	case bad >= 0 && s.pdf:
		return nil, s.notText(path, pdfTool)
	case bad >= 0:
		return nil, s.notUTF8(path, s.rawAt+int64(bad), s.raw[bad], "latin1-like")
	}
	res := &ReadResult{
		Path: string(path), SHA256: s.sha256, Size: s.size,
		StartLine: s.startLine, TotalLines: s.totalLines(),
		EOL: s.eol(), BOM: s.bom, Text: string(text),
	}
	if s.open {
		res.FinalNewline = new(false)
	}
	if s.invalid {
		res.Notes = append(res.Notes, "not_utf8_elsewhere")
	}
	s.locate(res, text, s.phase == collecting && s.rawAt+int64(used) < s.size)
	return res, nil
}

// notText refuses a binary file, and says what reads it if that is known.
func (s *slicer) notText(path relPath, pdfTool string) error {
	e := &arc.Error{
		Code:    arc.BinaryFile,
		Message: fmt.Sprintf("%s is not text; use a program that knows its format.", path),
		Detail:  notTextDetail{Path: string(path), Size: s.size, SHA256: s.sha256},
	}
	if s.pdf && pdfTool != "" {
		e.Message = fmt.Sprintf("%s is a PDF file; read it with %s.", path, pdfTool)
		e.Next = &arc.Next{Tool: pdfTool, Arguments: map[string]string{"path": string(path)}}
	}
	return e
}

// locate says where the slice ends, and where the next begins.
func (s *slicer) locate(res *ReadResult, text []byte, more bool) {
	lines := bytes.Count(text, newline)
	partial := text[bytes.LastIndexByte(text, '\n')+1:]
	res.EndLine = s.startLine + lines - 1
	if len(partial) > 0 {
		res.EndLine++
	}
	if !more {
		return
	}
	res.Truncated = true
	res.NextStartLine = s.startLine + lines
	if len(partial) > 0 {
		res.NextStartCharacter = utf8.RuneCount(partial)
		if lines == 0 {
			res.NextStartCharacter += s.startChar
		}
	}
	res.Next = &arc.Next{Tool: "workspace_read", Arguments: ReadArgs{
		Path: res.Path, StartLine: res.NextStartLine, StartCharacter: res.NextStartCharacter,
	}}
}

func (s *slicer) outOfRange(path relPath) error {
	total := s.totalLines()
	message := fmt.Sprintf("%s has %d lines; start at one of them.", path, total)
	if s.startLine <= total {
		message = fmt.Sprintf("line %d of %s has %d characters; start at one of them.", s.startLine, path, s.skipped)
	}
	return &arc.Error{
		Code:    arc.OutOfRange,
		Message: message,
		Detail: struct {
			Path       string `json:"path"`
			TotalLines int    `json:"total_lines"`
		}{string(path), total},
	}
}

func (s *slicer) notUTF8(path relPath, offset int64, bad byte, guess string) error {
	return &arc.Error{
		Code:    arc.NotUTF8,
		Message: fmt.Sprintf("this part of %s is not UTF-8; read another part, or convert the file in the shell.", path),
		Detail:  notTextDetail{string(path), &offset, fmt.Sprintf("0x%02x", bad), guess, s.size, s.sha256},
	}
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
