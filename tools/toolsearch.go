package tools

import (
	"context"
	"encoding/json"

	"github.com/arcseat/arc"
)

const searchName = "tool_search"

type searchArgs struct {
	Query string `json:"query" jsonschema_description:"What you want to do, in plain words"`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=20,default=5" jsonschema_description:"At most this many tools"`
}

type searchParts struct {
	def arc.Definition
}

func newSearchParts() (searchParts, error) {
	schema, err := Schema[searchArgs]()
	return searchParts{arc.Definition{
		Name:        searchName,
		Description: "Find more tools by what they do.",
		Schema:      schema,
		Effects:     arc.Effects{ReadOnly: true},
	}}, err
}

type found struct {
	Tools []foundTool `json:"tools"`
}

type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

func (p searchParts) entry(s *Session) *entry {
	t := New(p.def, func(ctx context.Context, c arc.Call, a searchArgs) (*arc.Result, error) {
		if a.Limit == 0 {
			a.Limit = 5
		}
		r := &arc.Result{}
		var f found
		for _, d := range s.Search(a.Query, a.Limit) {
			f.Tools = append(f.Tools, foundTool{d.Name, d.Description, d.Schema})
			r.Offers = append(r.Offers, d.Name)
		}
		r.Data = f
		return r, nil
	})
	sc, _ := compile(p.def.Schema)
	return &entry{tool: t, def: p.def, schema: sc}
}
