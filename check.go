package arc

import (
	"fmt"
	"slices"
)

// Check reports whether the tool may be used in turn t: nil, or an [*Error]
// with the code forbidden (the workspace's policy withholds it),
// service_not_granted, or unavailable and the reason. It is the one place that
// decides: a list asks it, and so does each call.
func (d Definition) Check(t Turn) error {
	if slices.Contains(t.Deny, d.Name) {
		return &Error{Code: Forbidden, Message: d.Name + " is withheld by this workspace's policy; go on without it."}
	}
	for _, n := range needs {
		if n.missing(d, t) {
			return &Error{
				Code:    Unavailable,
				Message: fmt.Sprintf("%s is not available here: %s.", d.Name, n.why),
				Detail:  map[string]string{"reason": n.reason},
			}
		}
	}
	if s := d.Needs.Service; s != "" && s != "*" && !slices.Contains(t.Services, s) {
		return &Error{
			Code:    ServiceNotGranted,
			Message: fmt.Sprintf("the service %s is not granted to this seat; the operator can grant it.", s),
			Detail:  map[string]string{"service": s},
		}
	}
	return nil
}

// needs are what can be missing, in the order in which it is told.
var needs = []struct {
	reason, why string
	missing     func(Definition, Turn) bool
}{
	{"mode", "this is a planning turn, where nothing is changed; put the work into the plan", func(d Definition, t Turn) bool {
		return t.Mode == Planning && d.Needs.Planning == IfReadOnly && !d.Effects.ReadOnly
	}},
	{"mode", "it belongs to planning turns", func(d Definition, t Turn) bool {
		return t.Mode != Planning && d.Needs.Planning == Required
	}},
	{"access", "it needs Full Access and this room is Safe; the operator can change that", func(d Definition, t Turn) bool {
		return d.Needs.Access > t.Access
	}},
	{"project", "this seat has no project folder", func(d Definition, t Turn) bool {
		return d.Needs.Project && !t.Project
	}},
	{"desktop", "this host has no desktop to operate", func(d Definition, t Turn) bool {
		return d.Needs.Desktop && t.Desktop == Desktop{}
	}},
	{"vision", "its answers are pictures and this model sees none", func(d Definition, t Turn) bool {
		return d.Needs.Vision && !t.Model.Vision
	}},
	{"seat", "the host runs this turn without a seat", func(d Definition, t Turn) bool {
		return d.Needs.Seat && t.Seat == nil
	}},
	{"grant", "no service is granted to this seat; the operator can grant one", func(d Definition, t Turn) bool {
		return d.Needs.Service == "*" && len(t.Services) == 0
	}},
}
