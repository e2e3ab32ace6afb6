package workspace

import "context"

type journal struct{}

func openJournal(dir string, key []byte) (*journal, error) { return &journal{}, nil }

func (j *journal) Close() error { return nil }

func (ws *Workspace) enter(ctx context.Context) (func(), error) { return func() {}, nil }
