package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer/computertest"
	"github.com/arcseat/arc/examples/local"
)

// screenshot is what a call of the tool answers.
func screenshot(t *testing.T, host *local.Host) *arc.Result {
	t.Helper()
	return session(t, host, nil).Call(t.Context(), arc.Call{Name: "computer", Args: []byte(`{"actions":[{"action":"screenshot"}]}`)})
}

func TestADesktop(t *testing.T) {
	t.Parallel()
	t.Run("is operated with Full Access, and closed with the host", func(t *testing.T) {
		t.Parallel()
		f := computertest.New(2560, 1600)
		t.Run("a host", func(t *testing.T) {
			host, _ := open(t, local.Options{Access: arc.FullAccess, Screen: f})
			if env := host.Turn(arc.Origin{}).Env; env.Desktop != (arc.Desktop{OS: "linux", Width: 1280, Height: 800}) || !env.Model.Vision {
				t.Errorf("the turn is told %+v, %+v", env.Desktop, env.Model)
			}
			if r := screenshot(t, host); r.Err != nil || len(r.Images) != 1 {
				t.Errorf("a screenshot is %s", r)
			}
		})
		if _, err := f.Screen(t.Context()); !errors.Is(err, arc.ShuttingDown) {
			t.Errorf("after the host it answers %v", err)
		}
	})
	t.Run("is not touched in a safe room", func(t *testing.T) {
		t.Parallel()
		f := computertest.New(300, 200)
		f.Press("shift")
		host, _ := open(t, local.Options{Screen: f})
		if r := screenshot(t, host); host.Computer != nil || r.Err == nil || r.Err.Code != arc.UnknownTool {
			t.Errorf("a call answers %s", r)
		}
		if held, err := f.Held(t.Context()); err != nil || !slices.Equal(held, []string{"shift"}) {
			t.Errorf("held is %v, %v", held, err)
		}
	})
}

func TestPicturesAreKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pictures")
	for range 2 { // the second host goes on where the first has ended
		host, _ := open(t, local.Options{Access: arc.FullAccess, Screen: computertest.New(64, 48), Images: dir})
		r := screenshot(t, host)
		if r.Err != nil {
			t.Fatal(r)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("it has %v, %v", files, err)
		}
		if b, err := os.ReadFile(files[len(files)-1]); err != nil || !slices.Equal(b, r.Images[0].Data) {
			t.Errorf("the picture is another one than the model was given, %v", err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if want := "0001-computer.png 0002-computer.png"; err != nil || strings.Join(files, " ") != want {
		t.Errorf("it has %v, %v; want %s", files, err, want)
	}
}
