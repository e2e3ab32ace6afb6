package workspace

import (
	"errors"
	"flag"
	"io/fs"
)

// portable has the tests walk as on other systems than this one.
var portable = flag.Bool("portable", false, "walk by the portable way")

// A calmFolder makes nothing durable: what a test sees is the same, and the disk
// is left in peace. The machine does not lose power during a test.
type calmFolder struct{ folder }

func (d calmFolder) sync() error { return nil }

func (d calmFolder) openDir(name string) (folder, error) {
	sub, err := d.folder.openDir(name)
	return calmFolder{sub}, err
}

func (d calmFolder) create(name string, perm fs.FileMode) (file, error) {
	return calm(d.folder.create(name, perm))
}

func (d calmFolder) openAppend(name string) (file, error) { return calm(d.folder.openAppend(name)) }

func (d calmFolder) adopt(dst, src file, info fs.FileInfo) []string {
	return d.folder.adopt(waken(dst), waken(src), info)
}

// withHandle lets a walk take the quick way.
func (d calmFolder) withHandle(do func(fd int) error) error {
	h, ok := d.folder.(interface {
		withHandle(do func(fd int) error) error
	})
	if *portable || !ok {
		return errors.ErrUnsupported
	}
	return h.withHandle(do)
}

type calmFile struct{ file }

func (calmFile) Sync() error { return nil }

func calm(f file, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return calmFile{f}, nil
}

func waken(f file) file {
	if c, ok := f.(calmFile); ok {
		return c.file
	}
	return f
}
