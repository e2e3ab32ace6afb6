package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
	"github.com/arcseat/arc/tools"
)

// A tool is one of a service's, as models see it. It does not change.
type tool struct {
	service *service
	remote  string // the service's name for it
	def     arc.Definition
	schema  string // as the service wrote it
}

var _ arc.Tool = (*tool)(nil)

func (t *tool) Definition(arc.Env) arc.Definition { return t.def }

func (t *tool) Call(ctx context.Context, c arc.Call) (*arc.Result, error) {
	return t.service.call(ctx, c, t)
}

// newTool makes the tool that a service lists. Its error says why a model cannot have it.
func newTool(s *service, m *mcp.Tool) (*tool, error) {
	name, err := toolName(s.Name, m.Name)
	if err != nil {
		return nil, err
	}
	if e, _ := m.Meta[execution].(map[string]any); e["taskSupport"] == "required" {
		return nil, fmt.Errorf("%s can only be called as a task, and tasks are not spoken here", name)
	}
	readOnly := slices.Contains(s.ReadOnly, m.Name)
	t := &tool{service: s, remote: m.Name, schema: string(schemaOf(m)), def: arc.Definition{
		Name:    name,
		Listing: arc.Discover,
		Needs:   arc.Needs{Access: arc.FullAccess, Project: true, Service: s.Name},
		Effects: arc.Effects{ReadOnly: readOnly, Destructive: !readOnly, OpenWorld: true},
	}}
	schema, reduced := published(json.RawMessage(t.schema), func(s json.RawMessage) bool {
		tried := *t
		tried.def.Schema = s
		_, err := tools.NewSet([]arc.Provider{tools.Of(&tried)}, nil)
		return err == nil
	})
	t.def.Schema = schema
	t.def.Description = cmp.Or(oneLine(m.Description, maxDescription), oneLine(m.Title, maxDescription),
		fmt.Sprintf("A tool of the service %s that says nothing of itself.", s.Name))
	if reduced {
		t.def.Description += fmt.Sprintf(" (Its schema is shortened here. All of it: %s with service_id %s, output_id %s.)",
			outputName, s.Name, schemaID(t.schema))
	}
	return t, nil
}

// newTools makes the tools of a list, and says which were left out and why. Two names
// that a model could not tell apart are an error, for all.
func newTools(s *service, list []*mcp.Tool) (made []*tool, left []error, err error) {
	byName := map[string]*tool{}
	for _, m := range list {
		t, err := newTool(s, m)
		if err != nil {
			left = append(left, err)
			continue
		}
		if other := byName[t.def.Name]; other != nil {
			return nil, nil, fmt.Errorf("its tools %.200q and %.200q would both be called %s", other.remote, t.remote, t.def.Name)
		}
		byName[t.def.Name] = t
		made = append(made, t)
	}
	return made, left, nil
}

// inlineBytes is how much text of a result is shown at once. What is longer is kept.
const inlineBytes = 16 << 10

// shown is the header of a result.
type shown struct {
	Untrusted bool `json:"untrusted"`

	// Of a result that was cut.
	Truncated  bool   `json:"truncated,omitempty"`
	ServiceID  string `json:"service_id,omitempty"`
	OutputID   string `json:"output_id,omitempty"` // missing: it could not be kept
	Bytes      int    `json:"bytes,omitempty"`
	TotalBytes int    `json:"total_bytes,omitempty"`
}

// call asks the service, and bounds what it says.
func (s *service) call(ctx context.Context, c arc.Call, t *tool) (*arc.Result, error) {
	s.hub.keeper.calls(c.Origin)
	limited, cancel := context.WithTimeout(ctx, s.CallTimeout)
	defer cancel()
	defer context.AfterFunc(s.hub.closing, cancel)()
	l, err := s.current(limited)
	if err != nil {
		return nil, s.failed(ctx, limited, nil, err)
	}
	params := &mcp.CallToolParams{Name: t.remote, Arguments: c.Args}
	if c.Progress != nil {
		token, stop := l.listen(c)
		defer stop()
		params.SetProgressToken(token)
	}
	answer, err := l.session.CallTool(limited, params)
	if err != nil {
		var said *jsonrpc.Error
		if errors.As(err, &said) && !slices.Contains(ours, said.Code) && limited.Err() == nil {
			return s.result(c, t, said.Message, nil), &arc.Error{
				Code:    ServiceError,
				Message: fmt.Sprintf("the service %s refused the call; read what it says and change the call.", s.Name), Detail: named{Service: s.Name}, Err: err,
			}
		}
		return nil, s.failed(ctx, limited, l, err)
	}
	body, images := content(answer)
	r := s.result(c, t, body, images)
	if answer.IsError {
		return r, &arc.Error{
			Code:    ServiceError,
			Message: fmt.Sprintf("the service %s says that the call failed; read what it says and change the call.", s.Name), Detail: named{Service: s.Name},
		}
	}
	return r, nil
}

// result is a text and pictures as a model gets them: a text that is too long is kept
// first, whole, and then cut.
func (s *service) result(c arc.Call, t *tool, body string, images []arc.Image) *arc.Result {
	r := &arc.Result{Body: body, Images: images}
	head := &shown{Untrusted: true}
	r.Data = head
	if !t.def.Effects.ReadOnly {
		r.Touched = []arc.Touch{{Kind: "call", ID: c.ID, Note: t.def.Name}}
	}
	if len(body) <= inlineBytes {
		return r
	}
	r.Body = body[:page.Cut(body, inlineBytes)]
	head.Truncated, head.ServiceID, head.Bytes, head.TotalBytes = true, s.Name, len(r.Body), len(body)
	id, err := s.hub.keeper.output(c.Origin, s.Name, t.def.Name, body)
	if err != nil {
		s.log.Error("an output could not be kept", "tool", t.def.Name, "bytes", len(body), "err", err)
		r.Notices = []string{"The text was cut, and its rest could not be kept; ask for less in one call."}
		return r
	}
	head.OutputID = id
	r.Next = pageCall(s.Name, id, int64(len(r.Body)), nil)
	return r
}

// failed is what a model is told of a call that came to nothing.
func (s *service) failed(ctx, limited context.Context, l *link, err error) error {
	var said *jsonrpc.Error
	var told *arc.Error
	switch {
	case errors.As(err, &told):
		return err
	case s.hub.closing.Err() != nil:
		return closing()
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return &arc.Error{
			Code:    arc.TimedOut,
			Message: fmt.Sprintf("the service %s did not answer in %v and was told to stop; nobody knows what it has done.", s.Name, s.CallTimeout),
			Detail:  named{Service: s.Name}, Err: err,
		}
	case errors.As(err, &said) && said.Code == tooLong:
		size, _ := strconv.Atoi(said.Message)
		return &arc.Error{
			Code:    arc.TooLarge,
			Message: fmt.Sprintf("the service %s answered with more than fits; the call was done, ask for less.", s.Name),
			Detail: struct {
				Size  int `json:"size"`
				Limit int `json:"limit"`
			}{size, maxMessage}, Err: err,
		}
	case l != nil && errors.Is(err, mcp.ErrSessionMissing):
		l.awaitEnd(limited)
		return &arc.Error{
			Code:    arc.Unavailable,
			Message: fmt.Sprintf("the service %s has begun anew and did not take the call; make it again.", s.Name),
			Detail:  named{"service", s.Name}, Err: err,
		}
	case said != nil && said.Code == notSent:
		return &arc.Error{
			Code:    arc.Unavailable,
			Message: fmt.Sprintf("the service %s could not be reached; try again later, or go on without it.", s.Name),
			Detail:  named{"service", s.Name}, Err: err,
		}
	case l != nil && (l.ended() || errors.Is(err, errEnded) || errors.Is(err, mcp.ErrConnectionClosed)):
		l.awaitEnd(limited)
		return diedInCall(s.Name, err)
	}
	s.log.Warn("an answer of a service cannot be read", "err", err)
	return &arc.Error{
		Code:    ServiceError,
		Message: fmt.Sprintf("the service %s gave an answer that cannot be read; try another way.", s.Name), Detail: named{Service: s.Name}, Err: err,
	}
}
