package tools

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/arcseat/arc"
)

// searchName is the tool that every session has of its own; no provider's tool
// may have the name.
const searchName = "tool_search"

type searchArgs struct {
	_     Closed
	Query string `json:"query" check:"minLength=1" jsonschema_description:"what to do, in plain words"`
	Limit int    `json:"limit,omitempty" additive:"true" check:"minimum=1,maximum=20" jsonschema_description:"most tools; default 5"`
}

// searchParts are what the sessions of a set share for searching.
type searchParts struct {
	def     arc.Definition
	schema  *schema
	accepts json.RawMessage
	words   vocabulary
}

func newSearchParts() (searchParts, error) {
	published, checked, err := schemasOf(reflect.TypeFor[searchArgs]())
	if err != nil {
		return searchParts{}, err
	}
	compiled, err := compile(checked)
	return searchParts{
		def: arc.Definition{
			Name:        searchName,
			Description: "Find more tools; what it returns can be called at once.",
			Schema:      published,
			Needs:       arc.Needs{Planning: arc.Allowed},
			Effects:     arc.Effects{ReadOnly: true},
		},
		schema:  compiled,
		accepts: checked,
		words:   newVocabulary(),
	}, err
}

// entry is tool_search in session s.
func (p searchParts) entry(s *Session) *entry {
	return &entry{tool: searchTool{s}, def: p.def, schema: p.schema, accepts: p.accepts}
}

// found is what tool_search tells.
type found struct {
	Tools []foundTool `json:"tools"`
	Names []string    `json:"names,omitempty"` // of what could be found, where nothing was
}

type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// searchTool is tool_search. What it finds is listed from then on.
type searchTool struct{ session *Session }

func (t searchTool) Definition(arc.Env) arc.Definition { return t.session.set.search.def }

func (t searchTool) Call(_ context.Context, c arc.Call) (*arc.Result, error) {
	var a searchArgs
	if err := decode(c.Args, &a); err != nil {
		return nil, err
	}
	r := &arc.Result{}
	data := found{Tools: []foundTool{}}
	size := 0
	for _, d := range t.session.find(c.Turn, a.Query, a.Limit) {
		f := foundTool{d.Name, d.Description, d.Schema}
		b, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		if size+len(b) > maxFoundBytes {
			if len(data.Tools) > 0 {
				r.Notices = []string{"More tools fit than can be shown at once; ask for something narrower."}
				break
			}
			f.Schema, f.Description = nil, clip(f.Description, maxMessage) // they come with the next list of tools
			if b, err = json.Marshal(f); err != nil {
				return nil, err
			}
		}
		size += len(b) + len(",")
		data.Tools = append(data.Tools, f)
		r.Offers = append(r.Offers, d.Name)
	}
	if len(data.Tools) == 0 {
		data.Names = t.session.namesToFind(c.Turn)
		r.Notices = []string{"No tool fits these words; these names can be called, or searched for."}
	}
	r.Data = data
	return r, nil
}

// maxFoundBytes is how much of definitions is shown: the header's limit, less
// what stands around them.
const maxFoundBytes = MaxHeader - 1<<10

// namesToFind are the names of what a search could find.
func (s *Session) namesToFind(turn arc.Turn) []string {
	const most = 60
	var names []string
	for _, e := range s.findable() {
		if e.def.Check(turn) != nil {
			continue
		}
		if len(names) == most {
			return append(names, "…")
		}
		names = append(names, e.def.Name)
	}
	return names
}
