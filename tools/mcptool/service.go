package mcptool

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

// A Service says how an MCP service of the operator's is reached, and what the operator
// thinks of it. Exactly one of Command, URL and Dial is set.
type Service struct {
	// Name is the namespace of its tools and what a grant names (arc.Env.Services): up to
	// 24 letters and digits, with single - and _ between them.
	Name string

	// Command starts the service as a child that speaks MCP on its standard input and
	// output: a program, found in PATH, and its arguments.
	Command []string

	// Dir is the child's working directory. Default: the host's.
	Dir string

	// Env is what the child gets beside PATH, HOME and the few others that every program
	// needs: NAME=value, or NAME for the host's own value. Keys that a service needs
	// have to be named. Default: none.
	Env []string

	// URL is the endpoint of a service that speaks MCP over streamable HTTP.
	URL string

	// Header is sent to URL's host with each request, and to no other: Authorization, for
	// example. Default: none.
	Header http.Header

	// RoundTripper carries the requests to URL. Default: a transport of its own, as
	// http.DefaultTransport, which ends with the connection.
	RoundTripper http.RoundTripper

	// Dial makes a transport for each connection, for a service that is reached in
	// another way, such as one in this process.
	Dial func(context.Context) (mcp.Transport, error)

	// ReadOnly names those of the service's tools, as the service calls them, that change
	// nothing, on the operator's word. They are offered while planning too. What a service
	// says of itself is a hint and sets nothing. Default: none.
	ReadOnly []string

	// Elicit answers what the service asks its user. Default: all is declined.
	Elicit func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)

	// StartTimeout is how long the start and the list of tools may take. Default: 60 s.
	StartTimeout time.Duration

	// CallTimeout is how long one call may take. Default: 120 s.
	CallTimeout time.Duration
}

// Defaults of a Service.
const (
	startTimeout = 60 * time.Second
	callTimeout  = 120 * time.Second
)

const maxNamespace = 24

// A namespace has no __, so that <namespace>__<tool> can be read in one way alone.
var namespaceRule = regexp.MustCompile(`^[a-zA-Z0-9]+([_-][a-zA-Z0-9]+)*$`)

// check says what is wrong with the operator's words. Its code is invalid_arguments.
func (s *Service) check() error {
	wrong := func(format string, args ...any) error {
		return &arc.Error{Code: arc.InvalidArguments, Message: fmt.Sprintf(format, args...)}
	}
	if len(s.Name) > maxNamespace || !namespaceRule.MatchString(s.Name) {
		return wrong("%q names no service; take up to %d letters and digits, with single - and _ between them.", s.Name, maxNamespace)
	}
	ways := 0
	for _, set := range []bool{len(s.Command) > 0, s.URL != "", s.Dial != nil} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return wrong("the service %s has to have one of a command, an URL and a Dial.", s.Name)
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return wrong("the service %s has no http or https URL.", s.Name)
		}
	}
	return nil
}
