package docs

import "context"

// Missing is an engine that answers every file with err, which says what is missing
// and how to get it; see [Unavailable]. A host that could not make its engine gives
// this one to [New]: the tools are there then, and say why they can't read.
func Missing(err error) Engine { return missing{err} }

type missing struct{ err error }

func (missing) Name() string { return "missing" }

func (m missing) Open(context.Context, Source, OpenOptions) (Document, error) { return nil, m.err }
