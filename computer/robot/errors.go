package robot

import "github.com/arcseat/arc"

func unavailable(reason, message string) error {
	return &arc.Error{Code: arc.Unavailable, Message: message, Detail: map[string]string{"reason": reason}}
}
