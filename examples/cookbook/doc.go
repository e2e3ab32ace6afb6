// Package cookbook has recipes for hosts, each an Example that runs.
//
// # Overview
//
//   - a tool of your own: Example_tool
//   - a person's word before a call: Example_approval
//   - another PDF engine: Example_engine
//   - another search provider: Example_searcher
//   - the desktop tool in your tests, without a desktop: Example_desktop
//   - several seats on one project: Example_seats
//
// Spans of OpenTelemetry for each call are in examples/spans, a module of its own.
//
// # Usage
//
// The package exports nothing: read the Examples, and copy what fits.
//
//	go test -v ./examples/cookbook
//
// # Trust
//
// The recipes are short, and leave out what a product adds: each says what.
//
// # Concurrency
//
// As the packages that they use.
//
// # Errors
//
// The recipes print them.
package cookbook
