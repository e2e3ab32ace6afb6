package fakemodel

import (
	"encoding/json"
	"strings"
)

// of marks whose request it is, and takes results out of what a foreign client wraps
// them in.
func (r *Request) of(foreign bool) {
	r.foreign = foreign
	if !foreign {
		return
	}
	for _, t := range r.Turns {
		for i := range t.Results {
			t.Results[i].foreign = true
			t.Results[i].Text = reported(t.Results[i].Text)
		}
	}
}

// reported is the text that a tool answered an error with, where the client puts it into
// a sentence about the call, as JSON in JSON, as Gemini CLI does.
func reported(text string) string {
	_, list, ok := strings.Cut(text, " with response: ")
	var all []struct {
		Function struct {
			Response struct {
				Content content `json:"content"`
			} `json:"response"`
		} `json:"functionResponse"`
	}
	if !ok || json.NewDecoder(strings.NewReader(list)).Decode(&all) != nil || len(all) != 1 {
		return text
	}
	said, _, err := all[0].Function.Response.Content.text("image", "text")
	if err != nil || said == "" {
		return text
	}
	return said
}
