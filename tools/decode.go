package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

// decode fills dst from args, which fit the schema. What the schema lets through
// and the Go type does not take (a number too large for it, a word that is no
// time) is refused in the words of a check: every such value by its name. An
// *arc.Error of a type's own UnmarshalJSON stands as it is.
func decode(args json.RawMessage, dst any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	err := unmarshal(args, dst)
	var own *arc.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	problems := []string{"the arguments " + misfit(nil, err)}
	if v, _, readErr := read(args); readErr == nil {
		problems = misfits(reflect.TypeOf(dst).Elem(), v, "", err)
	}
	e := refuse(problems, 0)
	e.Err = err
	return e
}

// unmarshal is json.Unmarshal that keeps every digit of a number that goes into
// an any.
func unmarshal(data []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(dst)
}

// misfits names the values within v for which v does not decode into a t, but
// for err. It tries each alone, so that encoding/json stays the one that decides.
func misfits(t reflect.Type, v *value, at string, err error) []string {
	t = indirect(t)
	var found []string
	if !readsJSON(t) && !readsText(t) && v.hasParts() && unmarshal(v.empty(), reflect.New(t).Interface()) == nil {
		for i, part := range v.parts() {
			whole := part.alone(v.kind)
			partErr := unmarshal(whole, reflect.New(t).Interface())
			if partErr == nil {
				continue
			}
			place := fmt.Sprintf("%s[%d]", at, i)
			if v.kind == object {
				place = within(at, part.name)
			}
			found = append(found, misfits(partType(t, part.name), part.value, place, partErr)...)
		}
	}
	if len(found) > 0 {
		return found
	}
	if at == "" {
		at = "the arguments object"
	}
	return []string{at + " " + misfit(v, err)}
}

// misfit is what is wrong with v, going by the error that it met; v is nil if it
// is not known.
func misfit(v *value, err error) string {
	is := "have a value"
	if v != nil {
		is = "is " + v.describe()
	}
	var notATime *time.ParseError
	var typeErr *json.UnmarshalTypeError
	switch {
	case errors.As(err, &notATime):
		return is + ", must be a time such as 2026-11-30T12:00:00Z"
	case errors.As(err, &typeErr):
		return is + ", which does not fit"
	}
	return is + ", which is not in the form that the description asks for"
}

// parts are the properties of an object, or the items of a list without names.
func (v *value) parts() []member {
	if v.kind == object {
		return v.members
	}
	var parts []member
	for _, item := range v.items {
		parts = append(parts, member{value: item})
	}
	return parts
}

func (v *value) hasParts() bool { return v.kind == object || v.kind == array }

// empty is v without its parts, to see whether a type takes such a thing at all.
func (v *value) empty() []byte {
	whole := value{kind: v.kind}
	return whole.appendTo(nil)
}

// alone is a list or an object, as k says, that holds nothing but m.
func (m member) alone(k kind) []byte {
	whole := value{kind: k, items: []*value{m.value}, members: []member{m}}
	return whole.appendTo(nil)
}

// partType is the type of what stands in a t under name. Where t does not tell, it
// is an any, of which no part can fail.
func partType(t reflect.Type, name string) reflect.Type {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.Elem()
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if n, _ := propertyName(f); n == name && !strings.HasSuffix(f.Tag.Get("json"), ",string") {
				return f.Type
			}
		}
	}
	return reflect.TypeFor[any]()
}
