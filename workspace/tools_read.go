package workspace

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// readTools are the tools that look and change nothing.
func (ws *Workspace) readTools() []arc.Tool {
	return []arc.Tool{
		tools.Func(looks("workspace_list", "List project paths."), ws.callList),
		tools.New(looks("workspace_read", "Read part of a text file. Gives the sha256 that edits need."), ws.callRead),
		tools.Func(looks("workspace_search", "Find lines with a literal text, any case. Ignored files are only counted, unless path names them."), ws.callSearch),
	}
}

// looks is the definition of a tool that only looks.
func looks(name, description string) arc.Definition {
	return arc.Definition{
		Name:        name,
		Description: description,
		Needs:       arc.Needs{Project: true},
		Effects:     arc.Effects{ReadOnly: true},
	}
}

func (ws *Workspace) callList(ctx context.Context, a ListArgs) (*arc.Result, error) {
	r, err := ws.List(ctx, a)
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: r, Body: r.Text, Next: r.Next}, nil
}

func (ws *Workspace) callRead(ctx context.Context, c arc.Call, a ReadArgs) (*arc.Result, error) {
	r, err := ws.Read(ctx, a)
	if err != nil {
		return nil, err
	}
	real := r.Path
	if r.ResolvedPath != "" {
		real = r.ResolvedPath
	}
	ws.seen.add(c.Origin.Seat, relPath(real), r.SHA256)
	return &arc.Result{
		Data: r, Body: r.Text, Next: r.Next,
		Touched: []arc.Touch{{Kind: "read", Path: r.Path, SHA256: string(r.SHA256), Note: r.part()}},
	}, nil
}

// part says what of the file was shown.
func (r *ReadResult) part() string {
	switch {
	case r.EndLine < r.StartLine:
		return "no lines"
	case r.StartLine == 1 && r.EndLine == r.TotalLines && !r.Truncated:
		return "all"
	}
	return fmt.Sprintf("lines %d-%d of %d", r.StartLine, r.EndLine, r.TotalLines)
}

func (ws *Workspace) callSearch(ctx context.Context, a SearchArgs) (*arc.Result, error) {
	r, err := ws.Search(ctx, a)
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: r, Body: r.Text, Next: r.Next}, nil
}
