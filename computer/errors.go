package computer

import (
	"context"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// The codes of this family. It also returns invalid_arguments, out_of_range,
// unavailable, forbidden, locked, limit_reached, canceled, timed_out and
// shutting_down.
const (
	// NoFrame: a coordinate was given and there is no screenshot to read it in. The
	// result has one.
	NoFrame arc.Code = "no_frame"
	// StaleFrame: the screen has another size than in the latest screenshot. The
	// result has a new one.
	StaleFrame arc.Code = "stale_frame"
	// UnknownKey: no key has that name, or the keyboard lacks it; nothing was
	// pressed. Detail has key and nearest.
	UnknownKey arc.Code = "unknown_key"
	// UntypableText: the text has a character that no key types. Detail has
	// character and at, an index in characters.
	UntypableText arc.Code = "untypable_text"
	// DisplayLost: the display has ended or does not answer any more.
	DisplayLost arc.Code = "display_lost"
	// PermissionMissing: the system does not let this program see or operate the
	// desktop. Detail has permission: screen_recording or accessibility.
	PermissionMissing arc.Code = "permission_missing"
	// Stopped: the operator has stopped the desktop tool.
	Stopped arc.Code = "stopped"
	// Backend: the desktop refused or failed for another reason. The host's log has
	// it.
	Backend arc.Code = "backend"
)

func invalid(reason, format string, args ...any) error {
	return &arc.Error{
		Code:    arc.InvalidArguments,
		Message: fmt.Sprintf(format, args...),
		Detail:  map[string]string{"reason": reason},
	}
}

// backend makes of a Desktop's error one that a model may see.
func backend(err error) error {
	var known *arc.Error
	var code arc.Code
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &code),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &arc.Error{Code: Backend, Message: "the desktop could not do that; take a screenshot and look before trying again.", Err: err}
}
