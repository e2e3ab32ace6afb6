package sqlite_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childPath) != "" {
		child()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
