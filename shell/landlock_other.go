//go:build !linux

package shell

import (
	"context"
	"errors"
)

// A LandlockRunner runs commands under Landlock, which Linux alone has.
type LandlockRunner struct{ HostRunner }

// NewLandlock has the code sandbox_unavailable wherever it is not Linux.
func NewLandlock(context.Context, string, *LandlockOptions) (*LandlockRunner, error) {
	return nil, noSandbox(errors.New("Landlock is the sandbox of Linux"))
}

// Close does nothing: there is no such runner.
func (l *LandlockRunner) Close() error { return nil }

// ABI is 0.
func (l *LandlockRunner) ABI() int { return 0 }

// Lacks says what is missing.
func (l *LandlockRunner) Lacks() []string { return landlockLacks(0, LandlockOptions{}) }
