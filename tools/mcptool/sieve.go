package mcptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A sieve stands between a service and the SDK, which queues all that it is handed
// without a limit. It lets through the answers to what was asked, with their originals
// kept (keepOriginals), a few of the service's own questions at a time, and one notice of
// a changed list. Progress is told at once, so that a service that floods waits for its
// listener. All else is dropped and counted.
type sieve struct {
	progress func(mcp.ProgressNotificationParams)

	mu      sync.Mutex
	asked   map[jsonrpc.ID]bool // our calls that have no answer yet
	asking  map[jsonrpc.ID]bool // the service's
	wasted  int                 // bytes since the last answer
	changed atomic.Bool         // a notice of a changed list is on its way
}

const (
	maxWasted = 32 << 20 // bytes that nobody has asked for, between two answers
	maxAsking = 16       // questions of a service at a time
)

func newSieve(progress func(mcp.ProgressNotificationParams)) *sieve {
	return &sieve{progress: progress, asked: map[jsonrpc.ID]bool{}, asking: map[jsonrpc.ID]bool{}}
}

// sent looks at a message that goes out.
func (s *sieve) sent(msg jsonrpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := msg.(type) {
	case *jsonrpc.Request:
		if m.IsCall() {
			s.asked[m.ID] = true
		} else if m.Method == "notifications/cancelled" {
			var p mcp.CancelledParams
			if json.Unmarshal(m.Params, &p) == nil {
				if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
					delete(s.asked, id)
				}
			}
		}
	case *jsonrpc.Response:
		delete(s.asking, m.ID)
	}
}

// came looks at a message of size bytes that has come in, which it may change, and says
// whether the SDK is to have it. An error ends the connection.
func (s *sieve) came(msg jsonrpc.Message, size int) (pass bool, err error) {
	switch m := msg.(type) {
	case *jsonrpc.Response:
		s.mu.Lock()
		known := s.asked[m.ID]
		delete(s.asked, m.ID)
		if known {
			s.wasted = 0
		}
		s.mu.Unlock()
		if !known {
			return false, s.waste(size)
		}
		m.Result = keepOriginals(m.Result)
		var e *jsonrpc.Error
		if errors.As(m.Error, &e) && slices.Contains(ours, e.Code) { // here it would say another thing
			m.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message}
		}
		return true, nil
	case *jsonrpc.Request:
		if err := s.waste(size); err != nil {
			return false, err
		}
		if m.IsCall() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.asking[m.ID] = true; len(s.asking) > maxAsking {
				return false, errAsking
			}
			return true, nil
		}
		return s.notice(m), nil
	}
	return false, s.waste(size)
}

// notice says whether the SDK is to have a notification. Logging, and what belongs to
// resources and prompts, is no use to anybody here.
func (s *sieve) notice(m *jsonrpc.Request) bool {
	switch m.Method {
	case "notifications/progress":
		var p mcp.ProgressNotificationParams
		if s.progress != nil && json.Unmarshal(m.Params, &p) == nil {
			s.progress(p)
		}
	case "notifications/tools/list_changed":
		return !s.changed.Swap(true)
	case "notifications/cancelled": // of a question
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.asking) > 0
	}
	return false
}

// waste counts what nobody has asked for.
func (s *sieve) waste(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wasted += n; s.wasted > maxWasted {
		return fmt.Errorf("%w: %d MiB", errFlood, s.wasted>>20)
	}
	return nil
}

// owner finds the call that an answer belongs to of which only the start and the end were
// kept.
func (s *sieve) owner(head, tail []byte) (jsonrpc.ID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, part := range [][]byte{head, tail} {
		for _, found := range idMember.FindAllSubmatch(part, -1) {
			for id := range s.asked {
				if fmt.Sprint(id.Raw()) == string(found[1]) {
					delete(s.asked, id)
					return id, true
				}
			}
		}
	}
	return jsonrpc.ID{}, false
}
