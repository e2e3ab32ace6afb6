// Package webtest is for those who test a host of package webtool, or write a search
// provider for one.
//
// # Overview
//
// [Fake] is a Searcher that answers as it is told. [Run] holds a Searcher that speaks
// HTTP to the rules of webtool.Searcher: that what is found is told from what is not
// there and from what could not be looked for, that failures have the right code, and
// that its key goes nowhere. [Net] is a network in memory: names, addresses and
// servers for a Web whose guard is at work as it is in life.
//
// # Usage
//
//	func TestMySearcher(t *testing.T) {
//		webtest.Run(t, &webtest.Harness{
//			New:     func(base string) webtool.Searcher { return New(secret, base) },
//			Found:   `{"hits":[{"title":"Go","url":"https://go.dev/"}]}`,
//			Nothing: `{"hits":[]}`,
//			Secret:  secret,
//		})
//	}
//
// # Trust
//
// The suite runs the provider against servers of its own on loopback; nothing leaves
// the machine.
//
// # Concurrency
//
// A Fake and a Net may be used from many goroutines. Run uses its Searcher from
// several.
//
// # Errors
//
// What a Searcher gets wrong fails the test, under a name that says the rule.
package webtest
