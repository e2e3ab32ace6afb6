package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/arcseat/arc"
)

// whole is an integer, which some models write as 20.0.
type whole int

// UnmarshalJSON takes what is an integer of 32 bits, however it is written.
func (n *whole) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return invalid("numbers", "%s is not a whole number; give one.", clip(string(b)))
	}
	*n = whole(f)
	return nil
}

// decode reads an object. A field that is not known could change what is meant,
// so it is refused.
func decode(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable says of an error of encoding/json what a model can do about it.
func unreadable(err error) error {
	var ours *arc.Error
	var wrong *json.UnmarshalTypeError
	field, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &wrong) && wrong.Field != "":
		return invalid("type", "%s cannot be a %s; give it as the tool describes it.", clip(wrong.Field), clip(wrong.Value))
	case unknown:
		return invalid("unknown_field", "the field %s has no counterpart here; leave it out.", clip(field))
	}
	return &arc.Error{
		Code: arc.InvalidArguments, Message: "the call is not a JSON object as the tool describes it; send it again.",
		Detail: map[string]string{"reason": "not_an_object"}, Err: err,
	}
}

func invalid(reason, format string, args ...any) error {
	return &arc.Error{
		Code: arc.InvalidArguments, Message: fmt.Sprintf(format, args...),
		Detail: map[string]string{"reason": reason},
	}
}

// clip keeps what a model made up from filling a message.
func clip(s string) string { return clipTo(s, 60) }

func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// asError is err as a model may see it.
func asError(err error) *arc.Error {
	var e *arc.Error
	if errors.As(err, &e) {
		return e
	}
	return &arc.Error{Code: arc.Internal, Message: "the call could not be read; try another one.", Err: err}
}
