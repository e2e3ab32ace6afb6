package workspace

import "context"

// CheckTarget reports whether a plan may name path: a regular file that is there, or
// one that [Workspace.Write] could create, missing directories included. Nothing is
// read and nothing is made. Codes: invalid_path, path_escape, protected_path,
// is_directory, not_a_directory, not_regular_file.
func (ws *Workspace) CheckTarget(ctx context.Context, path string) error {
	p, err := ws.placeToChange(ctx, path)
	if err != nil {
		return err
	}
	defer p.Close()
	if p.info == nil {
		return nil
	}
	return wantRegular(p)
}
