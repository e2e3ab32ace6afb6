package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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

	// Foreign is for clients that are vendors' own programs. They call the tools of a
	// server in their own way, so a script's name also stands for the one listed tool
	// that ends in it, after an underscore. They ask beside the conversation: a request that
	// lists none of the script's tools gets a few words, and so do counts and
	// lists of models. What else they look for is not there, and that is no mistake.
	// Default: false.
	Foreign bool
}

// A Scene is a script for one turn of a longer conversation.
type Scene struct {
	Asked  string // words of the request that it answers
	Script Script // what is said then
}

// A Refusal is an error that a busy provider answers with.
type Refusal struct {
	Status     int    // an HTTP status: 429, 500, 529
	RetryAfter string // seconds, in the header of that name; empty: none
}

// A Server answers from a script; see [Start].
type Server struct {
	script  Script
	scenes  []Scene
	foreign bool
	http    *http.Server
	url     string
	served  chan struct{} // closed when the listener's goroutine is gone

	mu       sync.Mutex
	refuse   []Refusal
	requests []Request
	reached  int
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
		srv.foreign = o.Foreign
	}
	mux := http.NewServeMux()
	for _, d := range []dialect{chat{}, messages{srv.foreign}, responses{}, gemini{srv.foreign}} {
		for _, route := range d.routes() {
			mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { srv.answer(d, w, r) })
		}
	}
	srv.handleAsides(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !srv.foreign {
			srv.fail(fmt.Errorf("%s %s is no address of this model", r.Method, r.URL.Path))
		}
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
// rule of their wire format are not among them, Err tells of those; nor are those
// that a foreign client made beside its conversation.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Reached is how many steps of its script the conversation that came furthest has
// been answered with.
func (s *Server) Reached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
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
