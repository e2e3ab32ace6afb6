package mcptool_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// A report of its kind: a host was killed, and a service that does not look whether its
// input ends lived on.
func TestAServiceEndsWithAHostThatIsKilled(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("ARC_TEST_MARK=host-%d", os.Getpid())
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), playing+"=host", mark, "ARC_TEST_STATE="+t.TempDir())
	said, err := host.Output()
	if err == nil || string(said) != "<nil>\n" {
		t.Fatalf("%v: %s", err, said)
	}
	wait(t, "the service's end", func() bool { return len(marked(t, mark)) == 0 })
}

func TestWhatHasLeftItsServiceEndsWithIt(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprintf("ARC_TEST_MARK=leaves-%d", os.Getpid())
	one := child("leaves")
	one.Env = append(one.Env, mark)
	s := attach(t, one, nil)
	if r := ask(t, s, "peer__do", `{}`); r.Body != "left" {
		t.Fatalf("it answers %s", r)
	}
	closeNow(t, s)
	if n := len(marked(t, mark)); n != 0 {
		t.Errorf("%d of its processes live on", n)
	}
}
