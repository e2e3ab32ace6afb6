package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// anthropicInput is the input of a tool_use block. Zero means left out in our
// actions, so numbers that may be given as zero are pointers.
type anthropicInput struct {
	Action          string   `json:"action"`
	Coordinate      []whole  `json:"coordinate"`
	StartCoordinate []whole  `json:"start_coordinate"`
	Text            string   `json:"text"`
	Key             string   `json:"key"`
	ScrollDirection string   `json:"scroll_direction"`
	ScrollAmount    *whole   `json:"scroll_amount"`
	Region          []whole  `json:"region"`
	Duration        *float64 `json:"duration"`
}

func readAnthropic(v ComputerVersion, call json.RawMessage) ([]action, error) {
	var block struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(call, &block); err != nil {
		return nil, unreadable(err)
	}
	var in anthropicInput
	if len(block.Input) > 0 { // a member of the toolset may need none
		if err := decode(block.Input, &in); err != nil {
			return nil, err
		}
	}
	if v == AnthropicComputerToolset20260801 {
		if in.Action != "" {
			return nil, invalid("unknown_field", "the tool's name is the action; leave action out.")
		}
		in.Action = block.Name
	}
	if known := v.anthropicActions(); !slices.Contains(known, in.Action) {
		return nil, invalid("unknown_action", "there is no action %q; use one of %s.", clip(in.Action), strings.Join(known, ", "))
	}
	return in.ours()
}

func (in anthropicInput) ours() ([]action, error) {
	for _, list := range [...]struct {
		name string
		n    []whole
		want int
	}{
		{"coordinate", in.Coordinate, 2}, {"start_coordinate", in.StartCoordinate, 2}, {"region", in.Region, 4},
	} {
		if list.n != nil && len(list.n) != list.want {
			return nil, invalid("numbers", "%s has %d numbers; give %d.", list.name, len(list.n), list.want)
		}
	}
	a := action{
		Action: in.Action, Coordinate: in.Coordinate, StartCoordinate: in.StartCoordinate,
		Text: in.Text, ScrollDirection: in.ScrollDirection, Region: in.Region,
	}
	if in.Key != "" {
		takes := in.Action == "scroll" || in.Action == "left_click_drag" || strings.HasSuffix(in.Action, "_click")
		if !takes || in.Text != "" {
			return nil, invalid("key", "give the keys of %s in text, and leave key out.", in.Action)
		}
		a.Text = in.Key
	}
	if d := in.ScrollDirection; d != "" && !slices.Contains([]string{"up", "down", "left", "right"}, d) {
		return nil, invalid("direction", "scroll_direction is %q; give up, down, left or right.", clip(d))
	}
	if in.ScrollAmount != nil {
		if *in.ScrollAmount <= 0 {
			return nil, invalid("amount", "scroll_amount is %d; give 1 or more, and the other direction to scroll back.", *in.ScrollAmount)
		}
		a.ScrollAmount = *in.ScrollAmount
	}
	if in.Duration != nil {
		if *in.Duration <= 0 {
			return nil, invalid("duration", "duration is %v; give seconds, more than 0.", *in.Duration)
		}
		a.Duration = *in.Duration
	}
	return []action{a}, nil
}
