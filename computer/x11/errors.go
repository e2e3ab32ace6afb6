package x11

import (
	"fmt"

	"github.com/arcseat/arc"
)

func unavailable(reason, format string, args ...any) error {
	return &arc.Error{
		Code: arc.Unavailable, Message: fmt.Sprintf(format, args...),
		Detail: map[string]string{"reason": reason},
	}
}
