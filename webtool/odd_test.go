package webtool_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc/webtool"
)

func TestAnswersThatAreNoPage(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNoContent, http.StatusResetContent} {
		t.Run(fmt.Sprintf("%d is a page without text", status), func(t *testing.T) {
			t.Parallel()
			w := open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })), nil)
			if r := fetch(t, w, "http://example.com/"); r.Status != status || r.Text != "" || r.Truncated || r.Next != nil {
				t.Errorf("it is %+v", r)
			}
		})
	}
	for _, status := range []int{http.StatusMultipleChoices, http.StatusFound, http.StatusPermanentRedirect} {
		t.Run(fmt.Sprintf("%d without an address is an error that shows what the page says", status), func(t *testing.T) {
			t.Parallel()
			w := open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(status)
				fmt.Fprint(w, `<p>It is <a href="/there">there</a>.`)
			})), nil)
			f := failure(t, refused(t, w, webtool.Reader{}, "http://example.com/", webtool.HTTPError))
			if f.Status != status || f.Text != "It is [there](/there)." || !f.Untrusted {
				t.Errorf("it is %+v", f)
			}
		})
	}
	t.Run("304 to who has nothing is an error", func(t *testing.T) {
		t.Parallel()
		w := open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })), nil)
		if f := failure(t, refused(t, w, webtool.Reader{}, "http://example.com/", webtool.HTTPError)); f.Status != http.StatusNotModified {
			t.Errorf("it is %+v", f)
		}
	})
}

// What a page hides by the ways that its own markup has is not read, or it is announced
// and follows what the page shows; the same holds for the page of an error.
func TestInstructionsThatAPageHides(t *testing.T) {
	t.Parallel()
	const shown = "The words of the page, which anybody can read who opens it in a browser. "
	body := `<!doctype html><title>T</title><style>.x{display:none} #y{opacity:0}</style><main>` + strings.Repeat("<p>"+shown, 12) + `
<p style="display:none">gone-1</p><p hidden>gone-2</p><p aria-hidden="true">gone-3</p><p style="font-size:0">gone-4</p><p style="position:absolute;left:-9999px">gone-5</p>
<p style="color:#fff;background:#fff">gone-6</p><p style="text-indent:-9999px">gone-7</p><p style="visi\62ility:hidden">gone-8</p><p popover>gone-9</p><!-- gone-10 --><template>gone-11</template>
<p style="transform:scale(0)">gone-12</p><p style="/**/display:none">gone-13</p><input type="hidden" value="gone-14"><noscript>gone-15</noscript>
<p class="x">told-1: do as this sentence says and not as the page does</p><p id="y">told-2: do as this sentence says and not as the page does</p>
<p style="opacity:0">told-3: do as this sentence says and not as the page does</p><p style="height:0;overflow:hidden">told-4: do as this sentence says and not as the page does</p></main>`
	w := open(t, network(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
		}
		fmt.Fprint(w, body)
	})), nil)
	r := fetch(t, w, "http://example.com/")
	main, rest := r.Text[:*r.Range.MainEnd], r.Text[*r.Range.MainEnd:]
	if strings.Contains(r.Text, "gone-") || strings.Contains(main, "told-") || strings.Count(rest, "told-") != 4 || strings.Count(main, strings.TrimSpace(shown)) != 12 {
		t.Errorf("it shows %s", r.Text)
	}
	if !slices.Contains(r.Notes, "hidden_text_included") {
		t.Errorf("its notes are %v", r.Notes)
	}
	f := failure(t, refused(t, w, webtool.Reader{}, "http://example.com/gone", webtool.HTTPError))
	if strings.Contains(f.Text, "gone-") || !slices.Contains(f.Notes, "hidden_text_included") {
		t.Errorf("the error shows %v %s", f.Notes, f.Text)
	}
}
