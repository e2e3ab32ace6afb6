package wire

import (
	"encoding/json"

	"github.com/arcseat/arc"
)

// args are what the tool computer takes.
type args struct {
	Actions []action `json:"actions"`
}

// action is one of its actions.
type action struct {
	Action          string  `json:"action"`
	Coordinate      []whole `json:"coordinate,omitempty"`
	StartCoordinate []whole `json:"start_coordinate,omitempty"`
	Text            string  `json:"text,omitempty"`
	ScrollDirection string  `json:"scroll_direction,omitempty"`
	ScrollAmount    whole   `json:"scroll_amount,omitempty"`
	Region          []whole `json:"region,omitempty"`
	Duration        float64 `json:"duration,omitempty"`
}

// ComputerArgs are the arguments of the tool computer that do what call asks for.
// call is the provider's JSON as it was sent: a tool_use block of Anthropic's,
// with name and input, or a computer_call item of OpenAI's, with action or
// actions. It is not changed.
//
// Anthropic's actions are ours. They stand as they are: scroll_amount counts
// notches, duration seconds. Modifiers of a click, a drag or a scroll may stand
// in key instead of text. An action that v does not have is refused.
//
// OpenAI's become
//
//	click         left_click, right_click; middle_click for wheel; back and
//	              forward are refused, since no button of ours is that
//	double_click  double_click
//	drag          left_click_drag for two points; for more left_mouse_down,
//	              mouse_move and left_mouse_up, so that the path is kept
//	keypress      key, one chord of all keys
//	move          mouse_move
//	screenshot    screenshot
//	scroll        scroll, one for each direction, a notch for 100 pixels
//	              (rounded, at least one); positive is down and right
//	type          type
//	wait          wait, for as long as that takes by default
//
// keys that are held meanwhile become modifiers, but not of move or of a drag
// through more than two points, where they are refused. Keys keep their names,
// which the executor knows: CTRL, ARROWLEFT, ENTER.
//
// A call may become more actions than one; arc.Model.Actions says how many the
// tool takes. Coordinates are not converted: the model must have been told the
// size of the screenshots that it gets. What an action needs, and which numbers
// are in range, the executor checks.
//
// Codes: invalid_arguments for a call that has no counterpart or is not such a
// call, and for a version that is unknown.
func ComputerArgs(v ComputerVersion, call json.RawMessage) (json.RawMessage, error) {
	var actions []action
	var err error
	switch v {
	case OpenAIComputer, OpenAIComputerUsePreview:
		actions, err = readOpenAI(v, call)
	default:
		if v.anthropicActions() == nil {
			return nil, invalid("version", "the host declared a computer tool of the unknown version %q; use another tool.", clip(string(v)))
		}
		actions, err = readAnthropic(v, call)
	}
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(args{actions})
	if err != nil {
		return nil, &arc.Error{Code: arc.InvalidArguments, Message: "the call cannot be written as JSON; send it again.", Err: err}
	}
	return out, nil
}
