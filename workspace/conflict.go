package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/arcseat/arc"
)

// ConflictCopy is the absolute path of a file in the state directory: the version
// that somebody saved at the moment of the change and that could not stay in the
// file's place, or wrote to the old file before the change had ended. [RecoveryResult].Conflicts and the stale error of the change name
// such changes. The file lasts until the journal drops the change; read it or move
// it away. ConflictCopy is the host's: no tool reaches it.
//
// Codes: not_found (there is no such change, or it kept no copy), expired, locked,
// no_space, permission_denied, io_error.
func (ws *Workspace) ConflictCopy(ctx context.Context, changeID string) (string, error) {
	leave, err := ws.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	c := ws.journal.byID[changeID]
	if c == nil {
		return "", ws.unknownChange(changeID)
	}
	none := &arc.Error{
		Code:    arc.NotFound,
		Message: fmt.Sprintf("no conflict copy of %s is kept; the recovery status names the changes that have one.", c.id),
		Detail:  map[string]string{"kind": "conflict_copy"},
	}
	if c.kept == "" {
		return "", none
	}
	kept, err := ws.journal.dir.openDir(keptFolder)
	if err != nil {
		return "", ws.journalFault(err)
	}
	defer kept.Close()
	switch _, err := kept.lstat(c.kept); {
	case errors.Is(err, fs.ErrNotExist):
		return "", none
	case err != nil:
		return "", ws.journalFault(err)
	}
	return filepath.Join(ws.journal.path, keptFolder, c.kept), nil
}
