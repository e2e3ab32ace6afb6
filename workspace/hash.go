package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/cancel"
)

// SHA256 is the hash of a whole file's raw bytes in lower-case hex.
type SHA256 string

func hashOf(b []byte) SHA256 {
	sum := sha256.Sum256(b)
	return SHA256(hex.EncodeToString(sum[:]))
}

// parseHash checks a hash as a model wrote it.
func parseHash(s string) (SHA256, error) {
	h := SHA256(strings.ToLower(strings.TrimSpace(s)))
	if !isHash(h) {
		return "", &arc.Error{
			Code:    arc.InvalidArguments,
			Message: fmt.Sprintf("expected_sha256 is %q, not 64 hex digits; copy it from the last read or change of the file.", clip(s, 80)),
			Detail:  map[string]string{"reason": "expected_sha256"},
		}
	}
	return h, nil
}

// isHash reports whether h has the form of a hash.
func isHash(h SHA256) bool {
	b, err := hex.DecodeString(string(h))
	return err == nil && len(b) == sha256.Size && strings.ToLower(string(h)) == string(h)
}

// hashFile reads f to its end.
func hashFile(ctx context.Context, f file) (SHA256, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, cancel.Reader(ctx, f))
	return SHA256(hex.EncodeToString(h.Sum(nil))), n, err
}

// readAll reads the whole file at p, which a change is to replace.
func (ws *Workspace) readAll(ctx context.Context, p *place) (fs.FileInfo, []byte, error) {
	f, info, err := ws.openFile(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	tooLarge := &arc.Error{
		Code:    arc.TooLarge,
		Message: fmt.Sprintf("%s is too large to change here; use a program in the shell.", p.path),
		Detail:  sizeDetail{string(p.path), info.Size(), maxEdit},
	}
	if info.Size() > maxEdit {
		return nil, nil, tooLarge
	}
	content, err := io.ReadAll(io.LimitReader(cancel.Reader(ctx, f), maxEdit+1))
	if err != nil {
		return nil, nil, ws.fault(err, p.path)
	}
	if len(content) > maxEdit { // it grew, or its file system tells no sizes
		return nil, nil, tooLarge
	}
	return info, content, nil
}

type sizeDetail struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	Limit int64  `json:"limit"`
}

// readWhole reads a file that the journal made: content, or content that was
// deflated, which adds a little to what cannot be made smaller.
func readWhole(d folder, name string) ([]byte, error) {
	f, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxEdit+maxEdit/64))
}
