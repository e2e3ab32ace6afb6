package trouble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/arcseat/arc"
)

func TestTroubleIsACodeAndASentence(t *testing.T) {
	t.Parallel()
	system := func(no syscall.Errno) error {
		return fmt.Errorf("state: %w", &os.PathError{Op: "open", Path: "/home/olga/secret", Err: no})
	}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"an error of ours, wherever it is": {errors.Join(errors.New("first"), fmt.Errorf("a: %w", &arc.Error{Code: arc.Locked, Message: "somebody has it; ask them."})), "locked: somebody has it; ask them."},
		"an error of ours without a cause": {&arc.Error{Code: arc.Internal, Message: "it broke."}, "internal: it broke."},
		"a full disk":                      {system(syscall.ENOSPC), "no_space: the disk is full; make room on it and try again."},
		"a disk to be read":                {system(syscall.EROFS), "permission_denied: the disk cannot be written; mount it to be written and try again."},
		"no rights":                        {system(syscall.EACCES), "permission_denied: the system does not permit this; look at the rights of the project and of its state directory."},
		"another word of the system's":     {system(syscall.EIO), "input/output error"},
		"an interruption":                  {fmt.Errorf("x: %w", context.Canceled), "canceled: it was interrupted; start it again."},
		"something else":                   {errors.New("the model's server says 400"), "the model's server says 400"},
		"a line that would break":          {errors.New("a\x1b[31m\nb"), "a·[31mb"},
	} {
		var out bytes.Buffer
		if Tell(&out, "agent", tt.err); out.String() != "agent: "+tt.want+"\n" {
			t.Errorf("%s: got %q, want %q", name, out.String(), tt.want)
		}
	}
}
