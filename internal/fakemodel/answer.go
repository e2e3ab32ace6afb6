package fakemodel

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A dialect is one wire format.
type dialect interface {
	routes() []string                                                    // as a mux has them
	read(r *http.Request, body []byte) (Request, error)                  // as strict as the provider
	write(w http.ResponseWriter, r *Request, reply Reply)                // whole or streamed, as r asks
	refuse(w http.ResponseWriter, status int, reason, retryAfter string) // the provider's error object
}

func (s *Server) answer(d dialect, w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, ":countTokens") { // Gemini's stands beside its models
		s.count("totalTokens")(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		d.refuse(w, http.StatusRequestEntityTooLarge, s.fail(err).Error(), "")
		return
	}
	req, err := d.read(r, body)
	if err != nil {
		d.refuse(w, http.StatusBadRequest, s.fail(fmt.Errorf("%s: %w", r.URL.Path, err)).Error(), "")
		return
	}
	req.Path, req.Raw = r.URL.Path, body
	req.of(s.foreign)
	if s.foreign && s.script.aside(&req) {
		d.write(w, &req, Reply{Text: aside(body)})
		return
	}
	if f, ok := s.admit(req); !ok {
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		d.refuse(w, f.Status, "the model is busy; try again", f.RetryAfter)
		return
	}
	reply, err := s.play(&req)
	if err != nil {
		d.refuse(w, http.StatusBadRequest, s.fail(err).Error(), "")
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
	reply, err := s.script.Answer(r)
	if err == nil {
		s.reach(r)
	}
	return reply, err
}

// reach notes how far the request's conversation has come.
func (s *Server) reach(r *Request) {
	n := 1
	for _, t := range r.Turns {
		if t.Model {
			n++
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached = max(s.reached, n)
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
