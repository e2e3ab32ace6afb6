package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"time"
)

// A displacedFile is what a change takes out of its place. Programs that had it open
// go on writing to it, which nobody would see: it has no name any more.
type displacedFile struct {
	file
	info fs.FileInfo // when it was opened
}

// openDisplaced opens what m is about to take out of its place; nil if there is
// nothing.
func openDisplaced(m *mutation) (*displacedFile, error) {
	if m.op == Create {
		return nil, nil
	}
	f, err := m.place.dir.open(m.place.name)
	if m.op == Remove && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the removal will say so
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &displacedFile{f, info}, nil
}

func (d *displacedFile) Close() {
	if d != nil {
		d.file.Close()
	}
}

// writtenTo reports whether the file, which had that hash when it was taken out of its
// place, has another content now.
func (d *displacedFile) writtenTo(hash SHA256) bool {
	now, err := d.Stat()
	if err != nil {
		return false
	}
	if sinceWrite := time.Since(now.ModTime()); sinceWrite > settled && now.Size() == d.info.Size() && now.ModTime().Equal(d.info.ModTime()) {
		return false
	}
	h := sha256.New()
	_, err = io.Copy(h, d.content())
	return err == nil && SHA256(hex.EncodeToString(h.Sum(nil))) != hash
}

func (d *displacedFile) content() io.Reader { return io.NewSectionReader(d, 0, maxEdit) }

// keepLate keeps what somebody wrote to the old file since the change took it out of
// its place, and returns the name that it is kept by. What they write after the end of
// the change is lost to all but them.
func (ws *Workspace) keepLate(out *outcome, old *displacedFile) (kept string) {
	c := out.change
	if old == nil || !old.writtenTo(c.beforeHash()) {
		return ""
	}
	out.warnings = append(out.warnings, "late_write")
	if err := ws.journal.keepFile(c.id, old.content()); err != nil {
		ws.log.Error("workspace: what was written to a file after it was replaced could not be kept", "path", string(c.Path), "err", err)
		return ""
	}
	return c.id
}

// dropOurs takes away the new content of a change that was put back. For a moment it
// stood at the target: what somebody wrote into it there is kept, and the name that it
// is kept by returned.
func (ws *Workspace) dropOurs(c *change, p *place) (kept string) {
	f, err := p.dir.open(c.Tmp)
	if err != nil {
		return "" // to remove it is tried once more
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || p.dir.remove(c.Tmp) != nil {
		return ""
	}
	ours := displacedFile{f, info}
	if !ours.writtenTo(c.afterHash()) {
		return ""
	}
	if err := ws.journal.keepFile(c.id, ours.content()); err != nil {
		ws.log.Error("workspace: what was written to a file while it was put back could not be kept", "path", string(c.Path), "err", err)
		return ""
	}
	return c.id
}
