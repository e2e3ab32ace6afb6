// This file stands in for the reading half until it lands; delete it then.

package workspace

import (
	"context"
	"io/fs"

	"github.com/arcseat/arc"
)

type ReadArgs struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line,omitempty"`
}

func (ws *Workspace) readTools() []arc.Tool { return nil }

func (ws *Workspace) openFile(ctx context.Context, p *place) (file, fs.FileInfo, error) {
	if p.info == nil {
		return nil, nil, ws.notFound(ctx, p.path)
	}
	if p.info.IsDir() {
		return nil, nil, &arc.Error{Code: arc.IsDirectory, Message: "dir"}
	}
	if !p.info.Mode().IsRegular() {
		return nil, nil, &arc.Error{Code: arc.NotRegularFile, Message: "no"}
	}
	f, err := p.dir.open(p.name)
	if err != nil {
		return nil, nil, ws.fault(err, p.path)
	}
	info, err := f.Stat()
	return f, info, err
}

func (ws *Workspace) notFound(ctx context.Context, path relPath) error {
	return ws.fault(fs.ErrNotExist, path)
}
