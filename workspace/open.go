package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/arcseat/arc"
)

// openTries is how often a file is looked at again that is replaced between the
// look and the open: a program that saves all the time wins some of the races, not all.
const openTries = 32

// openFile opens the regular file at p to read and never waits on what is none:
// pipes, sockets and devices are refused without being opened, and what was
// opened is compared with what was looked at. The caller closes the file. Codes:
// not_found, is_directory, not_regular_file, and the system's.
func (ws *Workspace) openFile(ctx context.Context, p *place) (file, fs.FileInfo, error) {
	for range openTries {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if p.info == nil {
			return nil, nil, ws.notFound(ctx, p.path)
		}
		if err := wantRegular(p); err != nil {
			return nil, nil, err
		}
		f, err := p.dir.open(p.name)
		if err == nil {
			info, serr := f.Stat()
			if serr == nil && p.dir.sameFile(info, p.info) {
				return f, info, nil
			}
			f.Close()
			err = serr
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, ws.fault(err, p.path)
		}
		if p.info, err = p.dir.lstat(p.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, ws.fault(err, p.path)
		}
	}
	return nil, nil, &arc.Error{
		Code:    arc.IOError,
		Message: fmt.Sprintf("%s is being replaced again and again; wait for the program that does it.", p.path),
		Detail:  pathDetail{Path: string(p.path)},
	}
}

// bounded reads a little past the size that f had when it was opened: enough to
// see that it grew, and an end even if it grows faster than it is read. A file
// system that tells no sizes gets this little too.
func bounded(f file, info fs.FileInfo) io.Reader {
	return io.LimitReader(f, info.Size()+readBuffer)
}

// wantRegular refuses everything else that stands at p.
func wantRegular(p *place) error {
	mode := p.info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &arc.Error{
			Code:    arc.IsDirectory,
			Message: fmt.Sprintf("%s is a directory; list it instead.", p.path),
			Next:    &arc.Next{Tool: "workspace_list", Arguments: ListArgs{Path: string(p.path)}},
			Detail:  pathDetail{Path: string(p.path)},
		}
	}
	kind := kindOf(mode)
	return &arc.Error{
		Code:    arc.NotRegularFile,
		Message: fmt.Sprintf("%s is a %s, which has no text to read or change; name a regular file.", p.path, kind),
		Detail:  pathDetail{Path: string(p.path), Kind: kind},
	}
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "special file"
}
