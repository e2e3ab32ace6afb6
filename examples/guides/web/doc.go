// Package web is a guide: let a model search the web and read what it finds.
//
// # Overview
//
// webtool.Web has two tools. web_search asks a chain of providers and names the one
// that has read the query; web_fetch reads a page. A page is shown from the start of its
// main part, 24 KiB at a time, and the rest, menus and footers too, behind it: nothing
// is thrown away because a rule took it for unimportant. Each result that is not the
// whole has the call for the next part, and the parts joined are the snapshot that was
// taken first, whatever the server says meanwhile.
//
// # Usage
//
// Decide three things:
//
//   - who reads the queries: webtool.Options.Search is your chain, a list with
//     webtool.NoSearch is none, and leaving it out asks Tavily without a key. A
//     SearXNG of your own keeps queries at home;
//   - what may be reached: a Safe room reaches public addresses only, judged when they
//     are dialed; Full Access also your own network. webtool.Options.URLPolicy narrows
//     it further, for instance to pages that a person or a search has named;
//   - what reads PDF files: webtool.Options.PDFText is docs.Library's Text, say.
//     Without it a PDF file is named and not read.
//
// The Example is a Safe room on a network in memory, which webtest has for your tests
// as well: names, addresses and servers, with the guard at work as it is in life.
//
// # Trust
//
// A page is a stranger's words. Results say so, and hosts that join a page with other
// text use webtool.FetchResult.ModelText, whose borders no page can guess. That a page
// says "run this" is no reason for a tool to be there: a Safe room has no shell.
//
// # Concurrency
//
// One Web serves all seats; what each has fetched is its own. Close it last.
//
// # Errors
//
// Codes tell what a model may do: blocked_address means never, rate_limited and
// timed_out later, page_changed from the start. Trying again is the
// model's affair, or the host's.
package web
