package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/arcseat/arc"
)

// notch is how many pixels OpenAI's models mean by a notch of the wheel: what
// browsers on most desktops scroll for one.
const notch = 100

// openAIAction is the action of any type; none has all fields.
type openAIAction struct {
	Type    string        `json:"type"`
	X       *whole        `json:"x"`
	Y       *whole        `json:"y"`
	Button  *string       `json:"button"`
	Keys    []string      `json:"keys"`
	Path    []openAIPoint `json:"path"`
	ScrollX *whole        `json:"scroll_x"`
	ScrollY *whole        `json:"scroll_y"`
	Text    *string       `json:"text"`
}

type openAIPoint struct {
	X *whole `json:"x"`
	Y *whole `json:"y"`
}

func readOpenAI(v ComputerVersion, call json.RawMessage) ([]action, error) {
	var item struct {
		Action  json.RawMessage   `json:"action"`
		Actions []json.RawMessage `json:"actions"`
	}
	if err := json.Unmarshal(call, &item); err != nil {
		return nil, unreadable(err)
	}
	all := item.Actions
	if one := item.Action; len(one) > 0 && string(one) != "null" {
		if len(all) > 0 {
			return nil, invalid("two_lists", "the call has both action and actions; give one of them.")
		}
		all = []json.RawMessage{one}
	} else if v == OpenAIComputerUsePreview && len(all) > 0 {
		return nil, invalid("batch", "this tool does one action a call; give it in action.")
	}
	if len(all) == 0 {
		return nil, invalid("no_action", "the call has no action; give at least one, such as screenshot.")
	}
	var done []action
	for i, raw := range all {
		next, err := readOpenAIAction(raw)
		var refused *arc.Error
		if errors.As(err, &refused) && len(all) > 1 {
			refused.Message = fmt.Sprintf("nothing was done, because of actions[%d]: %s", i, refused.Message)
		}
		if err != nil {
			return nil, err
		}
		done = append(done, next...)
	}
	return done, nil
}

func readOpenAIAction(raw json.RawMessage) ([]action, error) {
	var a openAIAction
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if name := a.stray(); name != "" {
		return nil, invalid("unknown_field", "%s does not take %s; leave it out.", clip(a.Type), name)
	}
	return a.ours()
}

// stray names a field that actions of a's type do not have.
func (a openAIAction) stray() string {
	takes := map[string]string{
		"click": "x y button keys", "double_click": "x y keys", "drag": "path keys", "keypress": "keys",
		"move": "x y keys", "screenshot": "", "scroll": "x y scroll_x scroll_y keys", "type": "text", "wait": "",
	}
	fields, known := takes[a.Type]
	if !known {
		return "" // ours refuses it
	}
	for _, f := range [...]struct {
		name  string
		there bool
	}{
		{"x", a.X != nil}, {"y", a.Y != nil}, {"button", a.Button != nil}, {"keys", len(a.Keys) > 0},
		{"path", len(a.Path) > 0}, {"scroll_x", a.ScrollX != nil}, {"scroll_y", a.ScrollY != nil}, {"text", a.Text != nil},
	} {
		if f.there && !strings.Contains(" "+fields+" ", " "+f.name+" ") {
			return f.name
		}
	}
	return ""
}

func (a openAIAction) ours() ([]action, error) {
	switch a.Type {
	case "screenshot", "wait":
		return []action{{Action: a.Type}}, nil
	case "type":
		if a.Text == nil || *a.Text == "" {
			return nil, invalid("text", "type needs a text that is not empty.")
		}
		return []action{{Action: "type", Text: *a.Text}}, nil
	}
	text, err := chord(a.Keys)
	if err != nil {
		return nil, err
	}
	switch a.Type {
	case "keypress":
		if text == "" {
			return nil, invalid("keys", "keypress needs keys, such as [\"CTRL\", \"C\"].")
		}
		return []action{{Action: "key", Text: text}}, nil
	case "drag":
		return a.drag(text)
	case "click", "double_click", "move", "scroll":
		at, err := openAIPoint{a.X, a.Y}.at()
		if err != nil {
			return nil, err
		}
		return a.pointed(at, text)
	}
	return nil, invalid("unknown_action", "there is no action %q; use click, double_click, drag, keypress, move, screenshot, scroll, type or wait.", clip(a.Type))
}

// pointed is an action at a point, with modifiers held.
func (a openAIAction) pointed(at []whole, modifiers string) ([]action, error) {
	switch a.Type {
	case "double_click":
		return []action{{Action: "double_click", Coordinate: at, Text: modifiers}}, nil
	case "scroll":
		return a.scroll(at, modifiers)
	case "move":
		if modifiers != "" {
			return nil, invalid("keys", "the pointer cannot be moved with keys held; leave keys out, or give them to a click or a drag.")
		}
		return []action{{Action: "mouse_move", Coordinate: at}}, nil
	}
	if a.Button == nil {
		return nil, invalid("button", "click needs a button: left, right or wheel.")
	}
	kinds := map[string]string{"left": "left_click", "right": "right_click", "wheel": "middle_click"}
	kind, ok := kinds[*a.Button]
	if !ok {
		return nil, invalid("button", "there is no button %q; use left, right or wheel, and keypress ALT with ARROWLEFT or ARROWRIGHT to go back or forward.", clip(*a.Button))
	}
	return []action{{Action: kind, Coordinate: at, Text: modifiers}}, nil
}

func (a openAIAction) scroll(at []whole, modifiers string) ([]action, error) {
	var all []action
	for _, axis := range [...]struct {
		pixels            *whole
		forward, backward string
	}{{a.ScrollY, "down", "up"}, {a.ScrollX, "right", "left"}} {
		if axis.pixels == nil || *axis.pixels == 0 {
			continue
		}
		direction, pixels := axis.forward, *axis.pixels
		if pixels < 0 {
			direction, pixels = axis.backward, -pixels
		}
		notches := max(1, pixels/notch+(pixels%notch)/(notch/2))
		all = append(all, action{Action: "scroll", Coordinate: at, ScrollDirection: direction, ScrollAmount: notches, Text: modifiers})
	}
	if len(all) == 0 {
		return nil, invalid("amount", "scroll_x and scroll_y are both 0; give the pixels to scroll by in one of them.")
	}
	return all, nil
}

// drag keeps the corners of a path: our drag is a straight line.
func (a openAIAction) drag(modifiers string) ([]action, error) {
	var points [][]whole
	for _, p := range a.Path {
		at, err := p.at()
		if err != nil {
			return nil, err
		}
		points = append(points, at)
	}
	last := len(points) - 1
	switch {
	case len(points) < 2:
		return nil, invalid("path", "drag needs a path of at least two points.")
	case len(points) == 2:
		return []action{{Action: "left_click_drag", StartCoordinate: points[0], Coordinate: points[1], Text: modifiers}}, nil
	case modifiers != "":
		return nil, invalid("keys", "keys can be held in a drag from one point to another only; leave keys out, or give a path of two points.")
	}
	all := []action{{Action: "left_mouse_down", Coordinate: points[0]}}
	for _, p := range points[1:last] {
		all = append(all, action{Action: "mouse_move", Coordinate: p})
	}
	return append(all, action{Action: "left_mouse_up", Coordinate: points[last]}), nil
}

func (p openAIPoint) at() ([]whole, error) {
	if p.X == nil || p.Y == nil {
		return nil, invalid("numbers", "a point needs x and y.")
	}
	return []whole{*p.X, *p.Y}, nil
}

// chord joins keys as our key action has them. A plus sign where a key is due is
// the key itself there.
func chord(keys []string) (string, error) {
	var names []string
	for _, k := range keys {
		switch {
		case k == " ":
			k = "space"
		case k == "", k != "+" && strings.Contains(k, "+"), strings.ContainsFunc(k, unicode.IsSpace):
			return "", invalid("keys", "%q is not one key; name each key by itself, as [\"CTRL\", \"C\"].", clip(k))
		}
		names = append(names, k)
	}
	return strings.Join(names, "+"), nil
}
