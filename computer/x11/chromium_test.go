//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc/computer"
)

// page has a thing to drag, a place to drop it, a paragraph and a field. It tells
// where they are, in pixels of the screen, and what happens to them.
const page = `<!doctype html><meta charset="utf-8"><title>page</title>
<style>body{margin:40px;font:20px sans-serif} #thing,#place{width:120px;height:80px;margin:20px} #thing{background:#c60} #place{background:#06c}</style>
<div id="thing" draggable="true"></div><div id="place"></div>
<p id="words">one two three</p><input id="field">
<script>
const tell = (what, detail) => fetch("/" + what, {method: "POST", body: JSON.stringify(detail ?? {})});
const at = id => {
  const r = document.getElementById(id).getBoundingClientRect();
  return [screenX + (outerWidth - innerWidth) / 2 + r.x + r.width / 2, screenY + outerHeight - innerHeight + r.y + r.height / 2].map(Math.round);
};
thing.ondragstart = e => { e.dataTransfer.setData("text/plain", "thing"); tell("dragstart"); };
place.ondragover = e => e.preventDefault();
place.ondrop = e => { e.preventDefault(); tell("drop", e.dataTransfer.getData("text/plain")); };
addEventListener("click", e => { if (e.detail >= 3) tell("triple", getSelection().toString().trim()); });
field.oninput = () => tell("typed", field.value);
addEventListener("load", () => requestAnimationFrame(() => setTimeout(() => tell("ready", {thing: at("thing"), place: at("place"), words: at("words"), field: at("field")}), 200)));
</script>`

// A server hands out the page and hears what it tells.
type pageServer struct {
	*httptest.Server
	mu   sync.Mutex
	told []string
	at   map[string][]int
}

func servePage(t *testing.T) *pageServer {
	t.Helper()
	s := &pageServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
			return
		}
		var detail json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&detail); err != nil {
			t.Errorf("the page tells %s: %v", r.URL.Path, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if what := strings.TrimPrefix(r.URL.Path, "/"); what == "ready" {
			if err := json.Unmarshal(detail, &s.at); err != nil {
				t.Error(err)
			}
		} else {
			s.told = append(s.told, what+" "+string(detail))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// heard waits until the page has told what, and reports whether it has.
func (s *pageServer) heard(what string) bool {
	for deadline := time.Now().Add(guard / 4); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		ok := slices.Contains(s.told, what)
		s.mu.Unlock()
		if ok || time.Now().After(deadline) {
			return ok
		}
	}
}

// browse shows the page in Chromium, and returns where its things are.
func browse(t *testing.T, v *Virtual, s *pageServer) map[string][]int {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	dir := t.TempDir()
	c := exec.Command(browser, "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+dir, "--window-position=0,0", "--window-size=900,700", "--app="+s.URL)
	c.Env = append(os.Environ(), append(v.Env(), "HOME="+dir)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		c.Wait()
		time.Sleep(200 * time.Millisecond) // its children let go of the folder
	})
	for deadline := time.Now().Add(guard); ; time.Sleep(50 * time.Millisecond) {
		s.mu.Lock()
		at := s.at
		s.mu.Unlock()
		if at != nil {
			return at
		}
		if time.Now().After(deadline) {
			t.Fatal("the page is not shown")
		}
	}
}

// manage starts a window manager, as desktops have one, or skips the test.
func manage(t *testing.T, v *Virtual) {
	t.Helper()
	wm, err := exec.LookPath("openbox")
	if err != nil {
		t.Skip("openbox is not installed")
	}
	c := exec.Command(wm)
	c.Env = append(os.Environ(), append(v.Env(), "HOME="+t.TempDir())...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
}

// What is pressed, moved in one jump and released is no drag for a page, and clicks
// without a pause are not three.
func TestAPageIsDraggedOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		managed bool
	}{{"with a window manager", true}, {"with none", false}} {
		t.Run(c.name, func(t *testing.T) {
			v := virtual(t, 1000, 800)
			if c.managed {
				manage(t, v)
			}
			s := servePage(t)
			at := browse(t, v, s)
			d, err := v.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pc, err := computer.Open(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer pc.Close(t.Context())
			useThePage(t, pc, s, at)
		})
	}
}

func useThePage(t *testing.T, pc *computer.Computer, s *pageServer, at map[string][]int) {
	t.Helper()
	do(t, pc, computer.Action{Action: computer.Screenshot})
	for _, c := range []struct {
		action computer.Action
		want   string
	}{
		{computer.Action{Action: computer.LeftClickDrag, StartCoordinate: at["thing"], Coordinate: at["place"]}, `drop "thing"`},
		{computer.Action{Action: computer.TripleClick, Coordinate: at["words"]}, `triple "one two three"`},
		{computer.Action{Action: computer.LeftClick, Coordinate: at["field"]}, ""},
		{computer.Action{Action: computer.Type, Text: "Zoë, 12 € 漢😀"}, `typed "Zoë, 12 € 漢😀"`},
	} {
		do(t, pc, c.action)
		if c.want != "" && !s.heard(c.want) {
			s.mu.Lock()
			t.Errorf("%s: the page tells %q, not %s", c.action.Action, s.told, c.want)
			s.mu.Unlock()
		}
	}
}
