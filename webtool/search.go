package webtool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

const (
	maxQuery   = 400 // runes
	maxResults = 5
)

// SearchArgs are the arguments of web_search.
type SearchArgs struct {
	_          tools.Closed
	Query      string `json:"query" jsonschema_description:"what to look for"`                                           // at most 400 characters
	MaxResults int    `json:"max_results,omitempty" jsonschema:"minimum=1,maximum=5" jsonschema_description:"default 5"` // zero: 5
}

// A Query is what a provider is asked.
type Query struct {
	Text string // trimmed, never empty, at most 400 runes
	Max  int    // hits that are wanted, at least 1: more than the model gets, because some are dropped
}

// A Hit is one result of a provider, as the provider has it: any text, which is made
// fit for a model.
type Hit struct {
	Title     string `json:"title"`               // of the page
	URL       string `json:"url"`                 // where it is
	Snippet   string `json:"snippet,omitempty"`   // what the provider shows of it; empty: nothing
	Published string `json:"published,omitempty"` // as the provider writes it
	HTML      bool   `json:"-"`                   // Title and Snippet are HTML, which is taken off; never set in a SearchResult
}

// A Searcher is a search provider. It is safe for concurrent use, and returns soon
// after ctx ends. Package webtest has a suite that a Searcher must pass.
//
// No hits and no error mean that there is nothing to find. Whatever kept the provider
// from looking is an *arc.Error with the code rate_limited, provider_auth,
// provider_blocked, provider_unavailable or provider_parse_error, after which the next
// provider of a chain is asked; any other error counts as provider_unavailable. No
// error may hold the provider's key. A Searcher with a method CloseIdleConnections is
// told by [Web.Close].
type Searcher interface {
	// Name is a short word, shown with the results: it says who has read the query.
	Name() string
	// Search asks the provider once.
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// NoSearch in place of providers switches web_search off.
const NoSearch = noSearch("none")

type noSearch string

func (n noSearch) Name() string { return string(n) }

func (noSearch) Search(context.Context, Query) ([]Hit, error) { return nil, noProvider() }

func noProvider() error {
	return &arc.Error{Code: NoProvider, Message: "this host has search switched off; ask for a URL and read it with web_fetch."}
}

// A SearchResult is what web_search found.
type SearchResult struct {
	Query     string    `json:"query"`           // as the providers were asked
	Provider  string    `json:"provider"`        // who has read the query
	Count     int       `json:"results"`         // of Results
	Notes     []string  `json:"notes,omitempty"` // providers that failed first, as name:code
	Cache     CacheInfo `json:"cache"`           // where the results came from
	Untrusted bool      `json:"untrusted"`       // always true: whoever wrote the pages is a stranger

	Results []Hit `json:"-"` // clean: one line each, http or https, no two of one page
}

// list is the results as a model reads them.
func (r *SearchResult) list() string {
	var b strings.Builder
	for i, h := range r.Results {
		fmt.Fprintf(&b, "%d. %s\n%s\n", i+1, h.Title, h.URL)
		if h.Published != "" {
			fmt.Fprintf(&b, "(%s) ", h.Published)
		}
		if h.Snippet != "" || h.Published != "" {
			fmt.Fprintf(&b, "%s\n", h.Snippet)
		}
	}
	return b.String()
}

// A SearchFailure is the Detail of the errors of a search.
type SearchFailure struct {
	Provider      string   `json:"provider,omitempty"`        // who failed
	Reason        string   `json:"reason,omitempty"`          // what kind of failure, in a word
	Status        int      `json:"status,omitempty"`          // of HTTP; 0: there was no answer
	RetryAfterSec int      `json:"retry_after_sec,omitempty"` // 0: the provider did not say
	Retryable     bool     `json:"retryable"`                 // the same search may succeed later
	Tried         []string `json:"tried,omitempty"`           // as name:code, when there was more than one
}

// Search asks the chain of providers. No results are no error.
//
// Its codes are invalid_arguments, no_provider, and those of the providers:
// rate_limited, provider_auth, provider_blocked, provider_unavailable,
// provider_parse_error; timed_out and shutting_down. When all have failed the error is
// the first one's.
func (w *Web) Search(ctx context.Context, a SearchArgs) (*SearchResult, error) {
	if err := w.open(); err != nil {
		return nil, err
	}
	text := strings.Join(strings.Fields(a.Query), " ")
	bad := func(reason, message string) (*SearchResult, error) {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: message, Detail: map[string]string{"reason": reason}}
	}
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return bad("query", "the query is empty; say what to look for.")
	case n > maxQuery:
		return bad("query", fmt.Sprintf("the query has %d characters and may have %d; use the words that matter.", n, maxQuery))
	case a.MaxResults < 0 || a.MaxResults > maxResults:
		return bad("max_results", fmt.Sprintf("max_results is 1 to %d; leave it out for %d.", maxResults, maxResults))
	}
	most := a.MaxResults
	if most == 0 {
		most = maxResults
	}
	ctx, cancel := context.WithTimeout(ctx, w.limits.Timeout)
	defer cancel()
	stop := context.AfterFunc(w.base, cancel)
	defer stop()
	r, err := w.chain.search(ctx, text, most)
	if err != nil && w.base.Err() != nil {
		return nil, w.open()
	}
	return r, err
}
