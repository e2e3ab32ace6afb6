package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/arcseat/arc"
)

// sentence is what a model is told where a tool returned a code alone; reads says
// that the tool is ReadOnly, so that a call that was broken off left nothing.
func sentence(c arc.Code, reads bool) string {
	switch {
	case reads && c == arc.Canceled:
		return "The call was canceled before it was done; it only reads, so it can be made again as it is."
	case reads && c == arc.TimedOut:
		return "The call ran out of time; it only reads, so nothing is left half done: ask for less."
	}
	switch c {
	case arc.InvalidArguments:
		return "The arguments don't fit this tool; read its schema and call it again."
	case arc.TerminalConflict:
		return "An earlier call has ended this turn already, so this one was not run."
	case arc.Canceled:
		return "The call was canceled before it was done; look at what it left before you repeat it."
	case arc.TimedOut:
		return "The call ran out of time; look at what it left, then ask for less."
	case arc.Internal:
		return "The tool failed and the host's log has the cause; try another way, or tell the operator."
	case arc.Forbidden:
		return "The host refused this call; go on without it, or ask the operator."
	}
	return fmt.Sprintf("The tool refused this call with the code %s; change the call or try another way.", c)
}

// asError is err as a model sees it: an *arc.Error in it, a bare code, the end
// of ctx, or internal with the cause for the host. reads says that the tool is
// ReadOnly.
func asError(ctx context.Context, err error, reads bool) *arc.Error {
	var e *arc.Error
	if errors.As(err, &e) {
		if e == nil { // wrapped, and so not seen by whoever returned it
			return coded(arc.Internal, errors.New("a nil *arc.Error was wrapped"))
		}
		return complete(e, reads)
	}
	return complete(&arc.Error{Code: codeOf(ctx, err), Err: err}, reads)
}

func codeOf(ctx context.Context, err error) arc.Code {
	var code arc.Code
	switch {
	case errors.As(err, &code):
		return code
	case errors.Is(err, context.Canceled):
		return arc.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return arc.TimedOut
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		// What ended the tool is most likely the end of ctx, told in another way.
		return arc.TimedOut
	case ctx.Err() != nil:
		return arc.Canceled
	}
	return arc.Internal
}

// coded is c in the words that hold for any tool.
func coded(c arc.Code, cause error) *arc.Error {
	return &arc.Error{Code: c, Message: sentence(c, false), Err: cause}
}

// notBegun answers what ctx ended before it began.
func notBegun(ctx context.Context) error {
	return &arc.Error{
		Code:    arc.Canceled,
		Message: "The turn was canceled before this call began, so it was not run.",
		Err:     ctx.Err(),
	}
}

// complete gives an error the words that it lacks. The tool may keep e, so it is
// not changed.
func complete(e *arc.Error, reads bool) *arc.Error {
	if e.Code != "" && e.Message != "" && !isNilPointer(e.Detail) {
		return e
	}
	whole := *e
	if whole.Code == "" {
		whole.Code = arc.Internal
	}
	if whole.Message == "" {
		whole.Message = sentence(whole.Code, reads)
	}
	if isNilPointer(whole.Detail) {
		whole.Detail = nil
	}
	return &whole
}

// notApproved keeps the words of an error that were meant for the model; any
// other is the host's own.
func notApproved(err error) error {
	var e *arc.Error
	var code arc.Code
	if errors.As(err, &e) || errors.As(err, &code) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return coded(arc.Forbidden, err)
}

// isNilPointer finds the nil pointer in an interface that is not nil: most often
// an *arc.Error that was returned as an error and meant as none.
func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// unknown refuses the call of a tool that is not there, and names those that were
// perhaps meant: hosts and services put names of their own before ours.
func (s *Session) unknown(name string) error {
	var names []string
	for _, e := range s.entries {
		if e.def.Check(s.turn) == nil {
			names = append(names, e.def.Name)
		}
	}
	guesses := near(name, names, 3)
	e := &arc.Error{
		Code: arc.UnknownTool,
		Detail: struct {
			Names []string `json:"names"`
		}{append([]string{}, guesses...)},
	}
	switch {
	case name == "":
		e.Message = "The call names no tool; use a name from the list."
	case len(guesses) > 0:
		e.Message = fmt.Sprintf("There is no tool %s; did you mean %s?", quote(name), list(guesses))
	case len(s.findable()) > 0:
		e.Message = fmt.Sprintf("There is no tool %s; use a name from the list, or %s to find one.", quote(name), searchName)
	default:
		e.Message = fmt.Sprintf("There is no tool %s; use a name from the list.", quote(name))
	}
	return e
}
