package webtool_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool"
	"github.com/arcseat/arc/webtool/webtest"
)

func TestWhatCameOfAPageInTimeIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, media, body string
		shown             bool
	}{
		{"a page whose end trickles", "text/html", "<main>" + strings.Repeat("<p>Words of the page, of which there are enough.", 20), true},
		{"a page of which next to nothing came", "text/html", "<p>Words", false},
		{"a file without text", "image/png", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 1000), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.media)
				fmt.Fprint(w, c.body)
				for r.Context().Err() == nil {
					w.(http.Flusher).Flush()
					time.Sleep(time.Second)
					fmt.Fprint(w, " ")
				}
			}), nil, func(t *testing.T, w *webtool.Web, _ *webtest.Net) {
				took(t, 30*time.Second, func() {
					if !c.shown {
						refused(t, w, webtool.Reader{}, "http://example.com/", arc.TimedOut)
						return
					}
					r := fetch(t, w, "http://example.com/")
					if strings.Count(r.Text, "Words of the page") != 20 || !r.Truncated || !slices.Contains(r.Notes, "source_cut") {
						t.Errorf("truncated %t, notes %q, text %q", r.Truncated, r.Notes, r.Text)
					}
				})
				time.Sleep(2 * time.Second) // the server sees that nobody listens
			})
		})
	}
}

func TestARedirectToWhatIsNotFetchedSaysSo(t *testing.T) {
	t.Parallel()
	w := open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "ftp://example.org/file")
		w.WriteHeader(http.StatusFound)
	})), nil)
	e := refused(t, w, webtool.Reader{}, "http://example.com/", webtool.InvalidURL)
	f := failure(t, e)
	if f.Reason != "unsupported_scheme" || f.URL != "http://example.com/" || f.FinalURL != "ftp://example.org/file" {
		t.Errorf("got %+v", f)
	}
	if want := "the page redirects to something that is neither http nor https, which is not fetched; use another source."; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
}

func TestAFragmentBeyondTheFirstPageIsTheNextCall(t *testing.T) {
	t.Parallel()
	body := "<main>" + strings.Repeat("<p>Words before it, of which there are many.", 3000) + `<h2 id="there">There</h2>` + strings.Repeat("<p>Words after it.", 3000)
	w := open(t, network(t, page("text/html; charset=utf-8", body)), nil)
	first := fetch(t, w, "http://example.com/#there")
	if first.FragmentOffset == nil || *first.FragmentOffset <= *first.Range.NextOffset || *first.Range.NextOffset != first.Range.End {
		t.Fatalf("the fragment is at %v, the range %+v", first.FragmentOffset, first.Range)
	}
	args := first.Next.Arguments.(map[string]any)
	if args["offset"] != *first.FragmentOffset {
		t.Errorf("the next call is %v, want offset %d", args, *first.FragmentOffset)
	}
	second, err := w.Fetch(t.Context(), webtool.Reader{}, webtool.FetchArgs{URL: args["url"].(string), Offset: args["offset"].(int)})
	if err != nil || !strings.HasPrefix(second.Text, "## There\n") {
		t.Errorf("got %v, %.40q", err, second.Text)
	}
	if near := fetch(t, w, "http://example.com/"); near.Next.Arguments.(map[string]any)["offset"] != *near.Range.NextOffset {
		t.Errorf("without a fragment the next call is %v", near.Next.Arguments)
	}
}
