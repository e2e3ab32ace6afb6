package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/arcseat/arc"
)

// sentences are what a model is told where a tool returned a code alone.
var sentences = map[arc.Code]string{
	arc.InvalidArguments: "The arguments don't fit this tool; read its schema and call it again.",
	arc.TerminalConflict: "An earlier call has ended this turn already; this one was not run.",
	arc.Canceled:         "The call was canceled before it was done; look at the state before you repeat it.",
	arc.TimedOut:         "The call ran out of time; look at the state before you repeat it, and ask for less.",
	arc.Internal:         "The tool failed and the host's log has the cause; try another way or tell the operator.",
	arc.Forbidden:        "The host refused this call; go on without it or ask the operator.",
}

// asError is err as a model sees it: an *arc.Error in it, a bare code, the end
// of ctx, or internal with the cause for the host.
func asError(ctx context.Context, err error) *arc.Error {
	var e *arc.Error
	if errors.As(err, &e) && e != nil {
		return e
	}
	var code arc.Code
	switch {
	case errors.As(err, &code):
		return coded(code, err)
	case errors.Is(err, context.Canceled):
		return coded(arc.Canceled, err)
	case errors.Is(err, context.DeadlineExceeded):
		return coded(arc.TimedOut, err)
	case ctx.Err() != nil:
		// What ended the tool is most likely the end of ctx, told in another way.
		return asError(context.WithoutCancel(ctx), fmt.Errorf("%w: %w", ctx.Err(), err))
	}
	return internal(err)
}

func coded(c arc.Code, cause error) *arc.Error {
	m, ok := sentences[c]
	if !ok {
		m = fmt.Sprintf("The call was refused: %s.", c)
	}
	return &arc.Error{Code: c, Message: m, Err: cause}
}

func internal(cause error) *arc.Error { return coded(arc.Internal, cause) }

// notApproved keeps the words of an error that were meant for the model.
func notApproved(err error) error {
	var e *arc.Error
	var code arc.Code
	if errors.As(err, &e) || errors.As(err, &code) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return coded(arc.Forbidden, err)
}

// isNil also finds the nil *arc.Error that became an error, which its author
// meant as none.
func isNil(err error) bool {
	if err == nil {
		return true
	}
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// unknown refuses a call of a tool that is not there.
func (s *Session) unknown(name string) error {
	return coded(arc.UnknownTool, nil)
}
