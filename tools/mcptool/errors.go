package mcptool

import (
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// ServiceError: the service itself says that the call failed, or has answered what cannot
// be read. Its words, if it has any, are the Body.
const ServiceError arc.Code = "service_error"

// Why a connection ends, for the log and the operator.
var (
	errEnded  = errors.New("the connection has ended")
	errFlood  = errors.New("it says too much that nobody has asked for")
	errAsking = errors.New("it asks too many questions at once")
)

// named is the detail of an error about a service.
type named struct {
	Reason  string `json:"reason,omitempty"`
	Service string `json:"service"`
}

// down says that a service cannot be asked. The cause is for the host.
func down(service, why string, cause error) error {
	return &arc.Error{
		Code:    arc.Unavailable,
		Message: fmt.Sprintf("the service %s %s; go on without it, the operator can start it again.", service, why),
		Detail:  named{"service", service}, Err: cause,
	}
}

// diedInCall says that a service ended under a call.
func diedInCall(service string, cause error) error {
	return &arc.Error{
		Code:    arc.Unavailable,
		Message: fmt.Sprintf("the service %s ended during this call, and nobody knows what it has done of it; look before you call again.", service),
		Detail:  named{"service", service}, Err: cause,
	}
}

func closing() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing its services; end the turn."}
}
