// Package services is a guide: give some seats the tools of MCP services.
//
// # Overview
//
// mcptool.Services attaches what an operator runs or subscribes to: a command that
// speaks MCP, an URL, or a server in the host's own process. A tool of a service is one
// of the seat's own from then on: it has the service's name in front, is found by
// search, has its arguments repaired and checked, its result bounded, and its steps
// recorded, as all others.
//
// Three things have to be so before a seat sees such a tool: the turn has Full Access,
// it has a project, and arc.Env.Services names the service. That list is the grant. It
// is yours to make for each turn, and tools.Options.Recheck yours to take it away: it is
// asked at every call, so that a grant which is withdrawn half-way ends with the next.
//
// A long answer does not fill the context. It is kept, whole, the model gets the head,
// and the result's next call pages the rest through the tool mcp_output: 48 KiB at a
// time, and joined exactly what the service said.
//
// # Usage
//
// Decide four things:
//
//   - where outputs are kept: mcptool.Options.State, outside the project, for 24 hours
//     and 512 MiB unless you say otherwise;
//   - what a service gets of your environment: PATH, HOME and a few more. A key that it
//     needs is named in mcptool.Service.Env, or is a Header of its URL;
//   - what only reads: mcptool.Service.ReadOnly is your word for it, and lets a planning
//     turn call those tools. What a service says of itself is not asked;
//   - what happens when it asks its user something: all is declined, unless
//     mcptool.Service.Elicit answers.
//
// Then Connect each, one after the other: an error is for you, not for a model, and the
// host can go on without that service. Package examples/local does so for -service.
//
// The other direction, your tools in another agent, is mcptool.Serve: see
// examples/mcpserver.
//
// # Trust
//
// A command runs with the rights of the host's user, like any program that you start;
// to attach it is to trust it that far. What it says is a stranger's: results are marked
// untrusted, names and descriptions are cleaned and cut, lists, schemas and messages are
// bounded. A description is read by the model all the same, so a service that you would
// not let talk to it is one that you should not grant.
//
// # Concurrency
//
// One Services serves all seats. A seat reads the outputs of its own calls and no
// other's. Close ends every child and all that it has started.
//
// # Errors
//
// service_error is the service's own no, with its words; service_not_granted is a tool,
// or a page, of a service that this seat may not use; unavailable is a service that has
// ended, or mcp_output for a seat that is granted none. A service that dies is started
// again at the next call, once in ten minutes.
package services
