package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/arcseat/arc"
)

// New makes a tool of a typed function. A is a struct whose tags give the
// schema; with def.Schema set, A is whatever those arguments decode into. R
// becomes the result: an *arc.Result as it is, a string as the Body, anything
// else (a struct, a map, or a pointer to one) as Data. A zero R beside an error
// is no result. A number that goes into an any of A is a json.Number, so that no
// digit is lost.
//
// New never panics and never fails: what is wrong with def, A or R is reported
// by [NewSet], and every call of such a tool answers internal.
func New[A, R any](def arc.Definition, fn func(context.Context, arc.Call, A) (R, error)) arc.Tool {
	t := &tool[A, R]{def: def, fn: fn}
	if fn == nil {
		t.err = errors.New("it has no function")
		return t
	}
	if err := resultKind(reflect.TypeFor[R]()); err != nil {
		t.err = err
		return t
	}
	checked := def.Schema
	if checked == nil {
		if t.def.Schema, checked, t.err = schemasOf(reflect.TypeFor[A]()); t.err != nil {
			return t
		}
	}
	t.schema, t.err = compile(checked)
	if t.schema != nil {
		t.schema.foldsCase = true
	}
	t.checked = checked
	return t
}

// Func is [New] for a function that needs nothing of the call but its arguments.
func Func[A, R any](def arc.Definition, fn func(context.Context, A) (R, error)) arc.Tool {
	if fn == nil {
		return New[A, R](def, nil)
	}
	return New(def, func(ctx context.Context, _ arc.Call, a A) (R, error) { return fn(ctx, a) })
}

// made is what a session finds in the tools of this package and in no other's.
type made interface {
	arc.Tool
	broken() error               // what NewSet reports
	checks(arc.Env) *schema      // what arguments are checked against
	raw(arc.Env) json.RawMessage // the same as JSON
}

type tool[A, R any] struct {
	def     arc.Definition
	fn      func(context.Context, arc.Call, A) (R, error)
	checked json.RawMessage
	schema  *schema
	err     error
}

func (t *tool[A, R]) Definition(arc.Env) arc.Definition { return t.def }
func (t *tool[A, R]) broken() error                     { return t.err }
func (t *tool[A, R]) checks(arc.Env) *schema            { return t.schema }
func (t *tool[A, R]) raw(arc.Env) json.RawMessage       { return t.checked }

func (t *tool[A, R]) Call(ctx context.Context, c arc.Call) (*arc.Result, error) {
	if t.err != nil {
		return nil, fmt.Errorf("tool %s is broken: %w", t.def.Name, t.err)
	}
	var a A
	if err := decode(c.Args, &a); err != nil {
		return nil, err
	}
	r, err := t.fn(ctx, c, a)
	return result(r, err != nil), err
}

// result makes a Result of r; failed says that an error stands beside it.
func result(r any, failed bool) *arc.Result {
	switch r := r.(type) {
	case nil:
		return nil
	case *arc.Result:
		return r
	case arc.Result:
		return &r
	case string:
		if failed && r == "" {
			return nil
		}
		return &arc.Result{Body: r}
	}
	v := reflect.ValueOf(r)
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Map) && v.IsNil() || failed && v.IsZero() {
		return nil
	}
	return &arc.Result{Data: r}
}

// resultKind reports an R that could not become a result.
func resultKind(t reflect.Type) error {
	if t == reflect.TypeFor[any]() || t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	switch e := indirect(t); {
	case t == reflect.TypeFor[string](), e.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return nil
	}
	return fmt.Errorf("its result is %s, must be a struct, a map, a string or an *arc.Result", t)
}
