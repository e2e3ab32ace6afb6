package shell

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

func TestAQuotaOfTheDisksIsNoSpace(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]arc.Code{syscall.ENOSPC: arc.NoSpace, syscall.EDQUOT: arc.NoSpace, syscall.EIO: arc.IOError} {
		if err := diskError(fmt.Errorf("spool: %w", cause)); !errors.Is(err, want) {
			t.Errorf("%v is %v, want %s", cause, err, want)
		}
	}
}
