package main

import (
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// asProgram, in the environment, makes the test binary the program itself, so
// that tests can run it as a process.
const asProgram = "ARC_TEST_AS_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if built != "" {
			os.RemoveAll(built)
		}
		os.Exit(code)
	}))
}

// program is the agent as a process of its own. No key of the machine reaches
// it; env is added.
func program(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "GEMINI_API_KEY=", "NO_COLOR=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}
