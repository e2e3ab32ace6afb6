// Package webtool reads web pages and searches the web for a seat: pages that are
// known to be whole, from addresses that the room may reach.
//
// # Overview
//
// [Web.Fetch] gets a page and makes text of all that a reader would see, the main
// part first: [Range.MainEnd] tells where it ends and menus, asides and the footer
// begin. Nothing is dropped because it looked unimportant. The text of a page is kept
// as a snapshot, and offsets are bytes in it: a result has 24 KiB at most, ends
// between blocks where it can, and names the next call. Joined, the results are the
// snapshot, byte for byte. A snapshot that was dropped is made anew, and if its text
// differs by then the answer is page_changed and never the second half of another
// page; so it is where nobody remembers the first.
//
// A page is served again for 5 minutes without asking its server (not from a local
// one), and after that its server is asked whether it has changed. Callers that want
// the same page at once share one request. Seats share no snapshots, nor do rooms of
// different access.
//
// At most 5 MiB of a body are read, decompressed, and what came of it in time, and a
// note says so (source_cut, source_short): what was read is shown. Text files, JSON, XML and feeds
// are shown as such, a PDF file through [Options.PDFText], and of any other file only
// its type, size and hash.
//
// [Web.Search] asks a chain of providers ([Searcher]): the next one only where one has
// failed. That nothing was found is no error, and that nobody has looked is never an
// empty result. The result names the provider, which has read the query. Without
// [Options.Search] that is Tavily, which answers without a key; [NoSearch] switches
// searching off.
//
// # Usage
//
//	web := webtool.New(&webtool.Options{Search: []webtool.Searcher{webtool.SearXNG("http://127.0.0.1:8888", nil)}})
//	defer web.Close()
//	page, err := web.Fetch(ctx, webtool.Reader{}, webtool.FetchArgs{URL: "https://go.dev/ref/spec"})
//	found, err := web.Search(ctx, webtool.SearchArgs{Query: "go memory model"})
//
// [Web] is an [arc.Provider]: give it to tools.NewSet. A tool fetches as the room of
// its call may, for the seat of its call.
//
// # Trust
//
// URLs come from a model, and redirects and pages from strangers. In a Safe room no
// connection is made to an address that is not public, or that is this machine's: that
// is decided on the address that is dialed, when it is dialed, so that neither
// spelling, nor a name that points inwards, nor one that changes its mind, nor a
// redirect gets past it. Proxies of the environment are not used. Full Access reaches
// local addresses as well, over connections and with snapshots of its own, but not
// those where clouds hand out credentials. [Options.AllowPrefixes] is for networks
// whose resolver answers with made-up addresses.
//
// A request carries no credentials, no referrer, and no cookies but those that the
// same fetch was given on its way. Keys of search providers are sent to their provider
// alone, which is never followed through a redirect, and are in no result, error or
// log line of this package.
//
// Whatever a page says is data. Results say so, control and invisible characters are
// taken out, and no message of an error holds words of a page: an error page's text is
// in [FetchFailure.Text]. [FetchResult.ModelText] is for hosts that join a page with
// other text. [Options.URLPolicy] can hold a seat to URLs that it was given, and
// [Options.OnFetch] hears of every request.
//
// # Concurrency
//
// All methods may be used from many goroutines. Hooks of the options are called from
// several at once. Requests to one host are spread out, two at a time and 30 in a
// minute, and text is made of as many pages at once as there are processors; a call waits
// for its turn within its 30 seconds. [Web.Close] ends what is under way and leaves no
// goroutine and no connection.
//
// # Errors
//
// Every error that a model could act on is an [*arc.Error]; Fetch and Search name
// their codes. The Detail is a [*FetchFailure] or a [*SearchFailure] where one fits,
// and says whether the same call may work later. An error of the caller's own context
// comes back as it is.
//
// # Platforms
//
// Linux is tested. On macOS and Windows the package builds and was not tried.
package webtool
