package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// computerCall adds a call of OpenAI's own computer tool. Its arguments in a script
// are what is the item's own: action or actions, and pending_safety_checks if there
// are any.
func (it item) computerCall(r *Request, raw json.RawMessage) error {
	if err := it.hasID("cu_"); err != nil {
		return err
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return err
	}
	if args["pending_safety_checks"] == nil {
		return errors.New("pending_safety_checks is missing")
	}
	maps.DeleteFunc(args, func(name string, v json.RawMessage) bool {
		return slices.Contains([]string{"type", "id", "call_id", "status"}, name) || string(v) == "[]" || string(v) == "null"
	})
	b, err := json.Marshal(args)
	t := r.turn(true)
	t.Calls = append(t.Calls, ToolCall{ID: it.CallID, Name: "computer", Args: b})
	return err
}

// screenshot adds the answer to a call of the computer tool: one picture. All that was
// to be confirmed of the call is acknowledged.
func (it item) screenshot(r *Request) error {
	var out struct {
		Type     string `json:"type"`
		ImageURL string `json:"image_url"`
		FileID   string `json:"file_id"`
	}
	if json.Unmarshal(it.Output, &out) != nil || out.Type != "computer_screenshot" || out.ImageURL == "" && out.FileID == "" {
		return errors.New("output is not a computer_screenshot with a picture")
	}
	for _, check := range checksOf(r, it.CallID) {
		if !slices.ContainsFunc(it.Acknowledged, func(a safetyCheck) bool { return a.ID == check.ID }) {
			return fmt.Errorf("the safety check %q of the call %q is not acknowledged", check.ID, it.CallID)
		}
	}
	return it.result(r, Result{ID: it.CallID, Images: 1})
}

type safetyCheck struct {
	ID string `json:"id"`
}

// checksOf are the safety checks of a call.
func checksOf(r *Request, id string) []safetyCheck {
	for _, t := range r.Turns {
		for _, c := range t.Calls {
			var args struct {
				Checks []safetyCheck `json:"pending_safety_checks"`
			}
			if c.ID == id && json.Unmarshal(c.Args, &args) == nil {
				return args.Checks
			}
		}
	}
	return nil
}

// computerItem is a call of the computer tool as an item of the output.
func computerItem(c ToolCall) map[string]any {
	it := map[string]any{"pending_safety_checks": []any{}}
	_ = json.Unmarshal(c.Args, &it) // an object: the script was checked
	it["type"], it["id"], it["call_id"], it["status"] = "computer_call", "cu_"+c.ID, c.ID, "completed"
	return it
}
