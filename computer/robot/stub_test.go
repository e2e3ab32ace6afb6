//go:build !(cgo && (darwin || windows || (linux && robotgo && (386 || amd64 || arm || arm64 || riscv64))))

package robot_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/robot"
)

func TestABuildWithoutRobotgoSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	d, err := robot.Open(t.Context(), nil)
	var e *arc.Error
	if d != nil || !errors.As(err, &e) || e.Code != arc.Unavailable {
		t.Fatalf("it answers %v, %v", d, err)
	}
	if reason := e.Detail.(map[string]string)["reason"]; reason != "engine" || !strings.Contains(e.Message, "install") {
		t.Errorf("it says %q, and the reason %q", e.Message, reason)
	}
}
