package workspace

import (
	"context"
	"os"

	"github.com/arcseat/arc"
)

// OpenFile opens the regular file at path to be read, for a host's own tools: those
// that read formats of which this package knows nothing. It goes the way that Read
// goes, so nothing outside of the project is opened, and nothing that is no regular
// file. The caller closes the file.
//
// Codes: invalid_path, path_escape, protected_path (the host's state), not_found,
// is_directory, not_a_directory, not_regular_file, permission_denied, io_error.
func (ws *Workspace) OpenFile(ctx context.Context, path string) (*os.File, error) {
	p, err := ws.find(ctx, path)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	f, _, err := ws.openFile(ctx, p)
	if err != nil {
		return nil, err
	}
	if f, ok := f.(*os.File); ok {
		return f, nil
	}
	f.Close()
	return nil, &arc.Error{Code: arc.IOError, Message: "this file cannot be opened here; tell the operator.", Detail: pathDetail{Path: path}}
}
