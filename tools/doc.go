// Package tools makes tools from typed functions, and runs them: it derives their
// schemas, repairs and checks what a model sends, lists, searches, calls and
// bounds.
//
// # Overview
//
// [New] joins a [arc.Definition] and a function to an [arc.Tool]. Providers of
// such tools, ours, others' and [Of], make a [Set]; [Set.Session] opens it for one
// turn. A session says what the model is to be shown ([Session.List]), answers a
// call ([Session.Call]) or a model's whole batch ([Session.Run]), and finds tools
// that the list leaves out ([Session.Search], and for the model a tool of its own,
// tool_search).
//
// A call's path: the tool is found, [arc.Definition.Check] and Options.Recheck
// allow it, its arguments are repaired and checked; then come the middleware,
// Options.Approve, the tool, and the bounds of a result. Whatever happens on the
// way, the answer is a result, and a refusal is a result with Err.
//
// # Usage
//
// The arguments of a tool are a struct:
//
//	type ReadArgs struct {
//		_     tools.Closed // other properties are refused
//		Path  string `json:"path" jsonschema_description:"File to read"`
//		Lines *int   `json:"lines,omitempty" jsonschema:"minimum=1,default=200" jsonschema_description:"Most lines"`
//	}
//
// and these are its tags:
//
//   - json: the name; omitempty means that it may be left out. Defaults are not
//     filled in: the function sees the zero value, or nil behind a pointer.
//   - jsonschema: published keywords: title, minLength, maxLength, pattern,
//     minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minItems,
//     maxItems, uniqueItems=true, enum (once for each value), default, example. \\,
//     is a comma of a value; the bare word nullable allows null as well.
//   - jsonschema_description: what it is; commas are fine here.
//   - jsonschema_extras: for a property of several types: "type=string,type=null" is
//     a list, and minimum, pattern and uniqueItems go with it; or x-… as it is.
//   - check: keywords that are checked and not published, such as minimum=1 where
//     the published schema must say no more than it does.
//   - additive:"true": a property that is taken and not published, for next calls.
//
// A blank field of type [Closed] or [Strict] refuses properties that the struct does
// not name. [Vary] makes words and schema depend on the turn.
//
// A tag that would have no effect is an error of [Schema] and of [NewSet], which names
// the property: a misspelt key or keyword, one of another type or that nobody checks,
// a pattern that does not compile, limits or a default against each other, two fields
// of one name (also where one hides another), a field that encoding/json cannot set.
//
// A field whose type has a method JSONSchema() *jsonschema.Schema says its schema
// itself, and one that is decoded by UnmarshalText is a string.
//
// # Trust
//
// Arguments are a model's. They are repaired where the schema leaves one reading
// ("3" for 3, null for an absent property, a list in a string) and refused, with
// all problems at once, everywhere else. Halves of characters, properties that are
// there twice, and names that only differ in case are refused, because encoding/json
// would choose for us. Schemas of services are bounded, and a check that would take
// too long is a refusal.
//
// A result is bounded whatever a tool returns: see [MaxBody] and [MaxHeader]. Errors
// that are not made for a model are shown as internal, without their words; the log
// has them. Neither arguments nor results are logged.
//
// # Concurrency
//
// A Set does not change after [NewSet]; it and its sessions are used from many
// goroutines at once. Calls that are made at the same time run at the same time.
// Run puts a batch in order: neighbours that only read go side by side, all else
// alone, and what may end the turn last. A session has no goroutines of its own:
// when Call and Run return, everything that they began has ended.
//
// # Errors
//
// What a call comes to is in Result.Err. Beside a tool's own codes: unknown_tool,
// forbidden, unavailable and service_not_granted (see [arc.Definition.Check]),
// invalid_arguments with problems in its detail (also for what fits the schema and
// not the Go type, such as a word for a time), terminal_conflict for a call that
// would end a turn once more, canceled and timed_out, too_large for data that
// cannot be shown, and internal.
package tools
