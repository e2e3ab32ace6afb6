package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 32 << 20

// Options are settings of a Server; nil is fine.
type Options struct {
	// Refuse answers the first requests, one each, with an error in place of
	// the script, as a busy provider does. Default: none.
	Refuse []Refusal

	// Scenes are scripts for conversations that go on from one turn to the next: a
	// request is answered by the first whose Asked stands in its newest words of the
	// operator's, as if the conversation began with them. Default: none; the
	// server's own script is for the whole conversation.
	Scenes []Scene
}

// A Scene is a script for one turn of a longer conversation.
type Scene struct {
	Asked  string
	Script Script
}

// A Refusal is an error that a busy provider answers with.
type Refusal struct {
	Status     int    // an HTTP status: 429, 500, 529
	RetryAfter string // the header of that name; empty: none
}

// A Server answers from a script; see [Start].
type Server struct {
	script Script
	scenes []Scene
	http   *http.Server
	url    string
	served chan struct{} // closed when the listener's goroutine is gone

	mu       sync.Mutex
	refuse   []Refusal
	requests []Request
	errs     []error
}

// Start serves the script on a free port of the loopback address until Close.
func Start(s Script, o *Options) (*Server, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if o != nil {
		for _, scene := range o.Scenes {
			if err := scene.Script.check(); err != nil {
				return nil, fmt.Errorf("scene %q: %w", scene.Asked, err)
			}
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &Server{script: s, url: "http://" + ln.Addr().String(), served: make(chan struct{})}
	if o != nil {
		srv.refuse = append(srv.refuse, o.Refuse...)
		srv.scenes = append(srv.scenes, o.Scenes...)
	}
	mux := http.NewServeMux()
	for _, d := range []dialect{chat{}, messages{}} {
		mux.HandleFunc("POST "+d.path(), func(w http.ResponseWriter, r *http.Request) { srv.answer(d, w, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		srv.fail(fmt.Errorf("%s %s is no address of this model", r.Method, r.URL.Path))
		http.NotFound(w, r)
	})
	srv.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(srv.served)
		_ = srv.http.Serve(ln) // Close ends it; there is nobody to tell of anything else
	}()
	return srv, nil
}

// URL is the server's address, without a path: http://127.0.0.1:PORT.
func (s *Server) URL() string { return s.url }

// Requests are what was asked so far, in the order of arrival. Those that broke a
// rule of their wire format are not among them; Err tells of those.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Err says everything that clients and the script did wrong so far, or nil.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// Close ends the server and its open answers.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.served
	return err
}

// A dialect is one wire format.
type dialect interface {
	path() string
	read(h http.Header, body []byte) (Request, error)        // as strict as the provider
	write(w http.ResponseWriter, r *Request, reply Reply)    // whole or streamed, as r asks
	refuse(w http.ResponseWriter, status int, reason string) // the provider's error object
}

func (s *Server) answer(d dialect, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		d.refuse(w, http.StatusRequestEntityTooLarge, s.fail(err).Error())
		return
	}
	req, err := d.read(r.Header, body)
	if err != nil {
		d.refuse(w, http.StatusBadRequest, s.fail(fmt.Errorf("%s: %w", d.path(), err)).Error())
		return
	}
	req.Path, req.Raw = d.path(), body
	if f, ok := s.admit(req); !ok {
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		d.refuse(w, f.Status, "the model is busy; try again")
		return
	}
	reply, err := s.play(&req)
	if err != nil {
		d.refuse(w, http.StatusBadRequest, s.fail(err).Error())
		return
	}
	d.write(w, &req, reply)
}

// play answers from the scene that the operator's newest words open, or from the
// script.
func (s *Server) play(r *Request) (Reply, error) {
	newest := 0
	for i, t := range r.Turns {
		if !t.Model && t.Text != "" {
			newest = i
		}
	}
	for _, scene := range s.scenes {
		if strings.Contains(r.Turns[newest].Text, scene.Asked) {
			act := *r
			act.Turns = r.Turns[newest:]
			reply, err := scene.Script.Answer(&act)
			if err != nil {
				err = fmt.Errorf("scene %q: %w", scene.Asked, err)
			}
			return reply, err
		}
	}
	return s.script.Answer(r)
}

// admit keeps the request and says whether it is answered, or how refused.
func (s *Server) admit(r Request) (Refusal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.refuse) == 0 {
		return Refusal{}, true
	}
	f := s.refuse[0]
	s.refuse = s.refuse[1:]
	return f, false
}

func (s *Server) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
	return err
}
