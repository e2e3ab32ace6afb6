package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// Pictures of a long job would fill the context, and the request.
func TestTheNewestPicturesAreKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m     model
		sent  func(model) []json.RawMessage
		image string
	}{
		"Messages": {newAnthropic("", "", "m"), func(m model) []json.RawMessage { return m.(*anthropic).messages },
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`},
		"Chat Completions": {newOpenAI("", "", "m"), func(m model) []json.RawMessage { return m.(*openAI).messages },
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 13 {
				call := arc.Call{ID: fmt.Sprint("c", i), Name: "computer"}
				r := &arc.Result{Body: fmt.Sprint("result ", i), Images: []arc.Image{{MIME: "image/png", Data: []byte{byte(i)}}}}
				if err := c.m.answer([]arc.Call{call}, []*arc.Result{r}); err != nil {
					t.Fatal(err)
				}
				if m, ok := c.m.(*anthropic); ok {
					if err := m.flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			b, err := json.Marshal(c.sent(c.m))
			if err != nil {
				t.Fatal(err)
			}
			sent := string(b)
			for i := range 13 {
				picture := fmt.Sprintf(c.image, base64Of(arc.Image{Data: []byte{byte(i)}}))
				if got, want := strings.Contains(sent, picture), i >= 3; got != want {
					t.Errorf("picture %d is sent: %v, want %v", i, got, want)
				}
				if !strings.Contains(sent, fmt.Sprintf(`"result %d"`, i)) {
					t.Errorf("the text of result %d is gone", i)
				}
			}
			if n := strings.Count(sent, leftOut); n != 3 {
				t.Errorf("%d pictures are told as left out", n)
			}
			c.m.begin("anew")
			if b, err = json.Marshal(c.sent(c.m)); err != nil || strings.Contains(string(b), "image") {
				t.Errorf("after a new beginning it sends %s, %v", b, err)
			}
		})
	}
}
