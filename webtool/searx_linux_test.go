package webtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc/webtool"
)

// TestARealSearXNG starts the one that Debian has (package searx) on loopback, with an
// index of its own, and asks it what it answers when things go well and when not.
func TestARealSearXNG(t *testing.T) {
	t.Parallel()
	const program = "/usr/bin/searx-run" // with the system's Python, whatever PATH says
	if _, err := os.Stat(program); err != nil {
		t.Skip("searx is not installed")
	}
	base := startSearx(t, program, searxIndex(t))
	w := webtool.New(&webtool.Options{Search: []webtool.Searcher{webtool.SearXNG(base, nil)}, Limits: webtool.Limits{SearchTimeout: 25 * time.Second}})
	defer w.Close()
	ask := func(query string) (*webtool.SearchResult, error) {
		return w.Search(t.Context(), webtool.SearchArgs{Query: query})
	}
	// In this order: when it was limited once, the engine is suspended for an hour.
	if r, err := ask("tunnels"); err != nil || r.Provider != "searxng" || r.Count != 5 || r.Results[0].URL != "https://garden.example/moles" ||
		r.Results[0].Title != "Moles in the garden" || r.Results[0].Snippet != "A mole digs tunnels under the lawn." {
		t.Errorf("found: %+v, %v", r, err)
	}
	if r, err := ask("gopher"); err != nil || r.Count != 1 || r.Results[0].Title != "The gopher" {
		t.Errorf("one found: %+v, %v", r, err)
	}
	if r, err := ask("unicorn"); err != nil || r.Count != 0 {
		t.Errorf("nothing to find: %+v, %v", r, err)
	}
	if _, err := ask("slow"); !errors.Is(err, webtool.ProviderUnavailable) {
		t.Errorf("an engine that hangs: %v", err)
	}
	if _, err := ask("explode"); !errors.Is(err, webtool.ProviderUnavailable) {
		t.Errorf("an engine that fails: %v", err)
	}
	if r, err := ask("moles"); err != nil || r.Count != 1 {
		t.Errorf("and then again: %+v, %v", r, err)
	}
	if _, err := ask("limited"); !errors.Is(err, webtool.RateLimited) {
		t.Errorf("an engine that is limited: %v", err)
	}
	// This version does not say that the engine is suspended. Nothing can tell that
	// from nothing to find; newer ones list it as unresponsive.
	if r, err := ask("seikan"); err != nil && !errors.Is(err, webtool.RateLimited) || err == nil && r.Count != 0 {
		t.Errorf("an engine that is suspended: %+v, %v", r, err)
	}
}

// searxIndex serves testdata/searx/index.json as the engine reads it.
func searxIndex(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/searx/index.json")
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		At     string `json:"at"`
		Called string `json:"called"`
		Says   string `json:"says"`
	}
	var all []entry
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := strings.ToLower(r.URL.Query().Get("q"))
		switch q {
		case "explode":
			w.WriteHeader(http.StatusInternalServerError)
			return
		case "limited":
			w.WriteHeader(http.StatusTooManyRequests)
			return
		case "slow":
			<-r.Context().Done()
			return
		}
		found := []entry{}
		for _, e := range all {
			if strings.Contains(strings.ToLower(e.Called+" "+e.Says), q) {
				found = append(found, e)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"found": found})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// startSearx returns where it is. It ends with the test.
func startSearx(t *testing.T, program, index string) string {
	t.Helper()
	settings, err := os.ReadFile("testdata/searx/settings.yml")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	file := filepath.Join(t.TempDir(), "settings.yml")
	text := strings.NewReplacer("INDEX/", index+"/", "port: PORT", "port: "+port).Replace(string(settings))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SEARX_SETTINGS_PATH=" + file, "HOME=" + t.TempDir()}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() { cmd.Wait(); close(gone) }()
	t.Cleanup(func() { cancel(); <-gone })
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		select {
		case <-gone:
			t.Fatalf("searx has ended:\n%s", said.String())
		default:
		}
		if r, err := client.Get(base + "/healthz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return base
			}
		}
	}
	cancel()
	<-gone
	t.Fatalf("searx is not up after two minutes:\n%s", said.String())
	return ""
}
