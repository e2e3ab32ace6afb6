package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/arcseat/arc"
)

// Vary makes a tool whose Description and Schema depend on the turn. f gets t's
// definition and returns the one for env; it changes those two fields only, and
// is asked once for each env, for the schema that is published and for the one
// that arguments are checked against, which may hold more. So it edits the schema
// that it is given instead of replacing it.
//
// Of env, f sees what a tool's words may depend on: Access, Mode, Project,
// Desktop and Model without Native. What decides whether the tool is offered
// at all (Services, Deny) says nothing about how it is described.
func Vary(t arc.Tool, f func(arc.Env, arc.Definition) arc.Definition) arc.Tool {
	return &varied{Tool: t, f: f, variants: make(map[variantKey]variant)}
}

type varied struct {
	arc.Tool
	f func(arc.Env, arc.Definition) arc.Definition

	mu       sync.RWMutex
	variants map[variantKey]variant
}

type variant struct {
	def     arc.Definition
	checked json.RawMessage
	schema  *schema
	err     error
}

// variantKey is the part of an Env that f sees.
type variantKey struct {
	access                arc.Access
	mode                  arc.Mode
	project               bool
	desktop               arc.Desktop
	compact, vision, grid bool
	actions, edge, pixels int
}

// maxVariants are kept. A host has a few models and desktops; only one that makes
// up sizes comes here.
const maxVariants = 64

func (v *varied) Definition(env arc.Env) arc.Definition { return v.variant(env).def }
func (v *varied) checks(env arc.Env) *schema            { return v.variant(env).schema }
func (v *varied) raw(env arc.Env) json.RawMessage       { return v.variant(env).checked }

func (v *varied) broken() error {
	if v.Tool == nil || v.f == nil {
		return errors.New("it varies nothing")
	}
	if m, ok := v.Tool.(made); ok {
		if err := m.broken(); err != nil {
			return err
		}
	}
	return v.variant(arc.Env{}).err
}

func (v *varied) variant(env arc.Env) variant {
	m := env.Model
	key := variantKey{
		env.Access, env.Mode, env.Project, env.Desktop,
		m.Compact, m.Vision, m.Grid, m.Actions, m.MaxEdge, m.MaxPixels,
	}
	v.mu.RLock()
	known, ok := v.variants[key]
	v.mu.RUnlock()
	if ok {
		return known
	}
	env.Services, env.Deny, env.Model.Native = nil, nil, nil
	made := v.make(env)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.variants) >= maxVariants {
		clear(v.variants)
	}
	v.variants[key] = made
	return made
}

func (v *varied) make(env arc.Env) variant {
	if v.Tool == nil || v.f == nil {
		return variant{err: errors.New("it varies nothing")}
	}
	base := v.Tool.Definition(env)
	out := variant{def: v.f(env, base)}
	if d := out.def; d.Name != base.Name || d.Listing != base.Listing || d.Needs != base.Needs || d.Effects != base.Effects || d.Native != base.Native {
		out.err = fmt.Errorf("more than its description and schema varies")
		return out
	}
	out.checked = out.def.Schema
	if m, ok := v.Tool.(made); ok {
		base.Schema = m.raw(env)
		out.checked = v.f(env, base).Schema
	}
	out.schema, out.err = compile(out.checked)
	if m, ok := v.Tool.(made); ok && out.schema != nil && m.checks(env) != nil {
		out.schema.foldsCase = m.checks(env).foldsCase
	}
	return out
}
