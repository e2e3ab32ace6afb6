package tools

import (
	"encoding/json"
	"math/big"

	"github.com/invopop/jsonschema"
)

// coherent reports what the tags of a property say against each other: limits
// between which nothing fits, and a default that they refuse.
func (d *deriver) coherent(p *jsonschema.Schema, at string) {
	raw, err := json.Marshal(p)
	if err != nil {
		return // the whole schema cannot be made either, which is told
	}
	v, _, err := read(raw)
	if err != nil {
		d.problem(at, "has tags that cannot be read: they %v", err)
		return
	}
	c := compiler{root: v, refs: make(map[string]*schema)}
	s, err := c.schema(v, 0)
	if err != nil {
		return // what refers to the whole schema is looked at there
	}
	c.settle()
	for n := s; n != nil; n = n.items {
		n.impossible(func(low, high string) {
			d.problem(at, "has %s and %s, between which nothing fits", low, high)
		})
	}
	if def := v.get("default"); def != nil {
		steps := stepsPerCall
		f := fitter{steps: &steps}
		f.fit(s, def, at+"'s default")
		d.problems = append(d.problems, f.problems...)
	}
}

// impossible tells the limits of s between which nothing is.
func (s *schema) impossible(tell func(low, high string)) {
	type limit struct {
		name  string
		at    *big.Rat
		shuts bool // the limit itself does not fit
	}
	count := func(n int) *big.Rat {
		if n < 0 {
			return nil
		}
		return big.NewRat(int64(n), 1)
	}
	for _, pair := range [][2]limit{
		{{"minimum", s.min, false}, {"maximum", s.max, false}},
		{{"minimum", s.min, false}, {"exclusiveMaximum", s.under, true}},
		{{"exclusiveMinimum", s.over, true}, {"maximum", s.max, false}},
		{{"exclusiveMinimum", s.over, true}, {"exclusiveMaximum", s.under, true}},
		{{"minLength", count(s.minLength), false}, {"maxLength", count(s.maxLength), false}},
		{{"minItems", count(s.minItems), false}, {"maxItems", count(s.maxItems), false}},
	} {
		low, high := pair[0], pair[1]
		if low.at == nil || high.at == nil {
			continue
		}
		if c := low.at.Cmp(high.at); c > 0 || c == 0 && (low.shuts || high.shuts) {
			tell(low.name+"="+decimal(low.at), high.name+"="+decimal(high.at))
		}
	}
}
