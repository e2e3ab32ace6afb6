package mcptool

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

const (
	maxNews     = 16                     // reports that wait to be sent; of more the oldest go
	outputPause = 250 * time.Millisecond // between two reports of output alone
)

// A reporter sends what one call reports, on a goroutine of its own: who reports is not
// to wait for a client that does not read.
type reporter struct {
	send func(*mcp.ProgressNotificationParams)
	wake chan struct{}
	done chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	token  any
	news   []*mcp.ProgressNotificationParams
	last   float64 // progress must rise
	output time.Time
	over   bool
}

// reporting lets call id report to the client, if the client asked for it. The caller
// calls what it returns when the call has ended.
func (s *serving) reporting(ctx context.Context, id string, req *mcp.CallToolRequest) (end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	r := &reporter{
		token: token, last: -1,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
		send: func(p *mcp.ProgressNotificationParams) {
			if err := req.Session.NotifyProgress(ctx, p); err != nil {
				s.log.Debug("progress was not sent", "err", err)
			}
		},
	}
	s.mu.Lock()
	s.reporters[id] = r
	s.mu.Unlock()
	go r.run()
	return func() {
		s.mu.Lock()
		delete(s.reporters, id)
		s.mu.Unlock()
		r.end()
	}
}

// report passes p on to the client of the call.
func (s *serving) report(id string, p arc.Progress) {
	s.mu.Lock()
	r := s.reporters[id]
	s.mu.Unlock()
	if r != nil {
		r.put(p)
	}
}

// put takes a report in, without blocking.
func (r *reporter) put(p arc.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value := p.Done
	if counts := p.Done != 0 || p.Total != 0; !counts {
		value = max(r.last, 0) + max(1, float64(len(p.Output)))
		if p.Message == "" {
			if time.Since(r.output) < outputPause {
				r.last = value
				return
			}
			r.output = time.Now()
		}
	}
	if value <= r.last {
		value = math.Nextafter(r.last, math.Inf(1))
	}
	r.last = value
	r.news = append(r.news, &mcp.ProgressNotificationParams{ProgressToken: r.token, Message: p.Message, Progress: value, Total: p.Total})
	if len(r.news) > maxNews {
		r.news = r.news[1:]
	}
	r.look()
}

func (r *reporter) look() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run sends until the call has ended and all is sent.
func (r *reporter) run() {
	defer close(r.done)
	for range r.wake {
		for {
			r.mu.Lock()
			news, over := r.news, r.over
			r.news = nil
			r.mu.Unlock()
			for _, p := range news {
				r.send(p)
			}
			if over {
				return
			}
			if len(news) == 0 {
				break
			}
		}
	}
}

// end sends what is left and returns: nothing is told of a call after its answer.
func (r *reporter) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.look()
	<-r.done
}
