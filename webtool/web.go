package webtool

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/webtool/internal/guard"
)

const defaultAgent = "arc-webtool/1"

// errClosed is why what is under way ends with Close.
var errClosed = errors.New("webtool: closed")

// A Web fetches pages and searches. Make one with New; it is safe for concurrent use.
type Web struct {
	opts      Options
	limits    Limits
	log       *slog.Logger
	clients   [2]*client // by arc.Access
	pace      *pace
	cache     *cache
	flights   flights
	converter converter
	robots    *robotsKeeper
	refused   patience
	chain     *chain
	tools     []arc.Tool

	base  context.Context // of what others wait for together
	close context.CancelCauseFunc
}

// New makes a Web. It opens nothing: a host that gives it no network has none.
func New(o *Options) *Web {
	w := &Web{}
	if o != nil {
		w.opts = *o
	}
	w.opts.UserAgent = cmp.Or(w.opts.UserAgent, defaultAgent)
	w.limits = w.opts.Limits.withDefaults()
	w.log = cmp.Or(w.opts.Logger, slog.New(slog.DiscardHandler))
	own := &guard.Own{}
	for _, a := range []arc.Access{arc.Safe, arc.FullAccess} {
		w.clients[a] = newClient(a, &w.opts, w.limits, own)
	}
	w.pace = &pace{atOnce: w.limits.PerHost, perMinute: w.limits.PerMinute}
	w.cache = newCache(w.limits)
	w.converter = newConverter(w.limits)
	w.robots = newRobots(&w.opts)
	w.base, w.close = context.WithCancelCause(context.Background())
	search := slices.DeleteFunc(slices.Clone(w.opts.Search), func(s Searcher) bool { return s == nil || s == Searcher(NoSearch) })
	if w.opts.Search == nil {
		search = []Searcher{Tavily("", nil)}
	}
	w.chain = newChain(search, w.limits, w.log)
	w.tools = w.makeTools()
	return w
}

// Close ends what is under way and closes idle connections, those of the search
// providers too. Calls from now on are shutting_down. The error is always nil.
func (w *Web) Close() error {
	w.close(errClosed)
	w.flights.drain()
	w.chain.close()
	for _, c := range w.clients {
		c.transport.CloseIdleConnections()
	}
	return nil
}

func (w *Web) client(a arc.Access) *client {
	if a == arc.FullAccess {
		return w.clients[arc.FullAccess]
	}
	return w.clients[arc.Safe]
}

// open reports the error of a closed Web.
func (w *Web) open() error {
	if w.base.Err() == nil {
		return nil
	}
	return shuttingDown()
}

func shuttingDown() error {
	return &arc.Error{Code: arc.ShuttingDown, Message: "the host is closing; nothing can be fetched now."}
}
