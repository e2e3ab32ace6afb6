package computer

// A Kind is what an [Action] does.
type Kind string

// The kinds of actions, by their names in a call; the table of [Computer.Do] says what
// each does and takes.
const (
	Screenshot     Kind = "screenshot"
	Zoom           Kind = "zoom"
	LeftClick      Kind = "left_click"
	RightClick     Kind = "right_click"
	MiddleClick    Kind = "middle_click"
	DoubleClick    Kind = "double_click"
	TripleClick    Kind = "triple_click"
	LeftClickDrag  Kind = "left_click_drag"
	MouseMove      Kind = "mouse_move"
	LeftMouseDown  Kind = "left_mouse_down"
	LeftMouseUp    Kind = "left_mouse_up"
	CursorPosition Kind = "cursor_position"
	Scroll         Kind = "scroll"
	Type           Kind = "type"
	PressKey       Kind = "key"
	HoldKey        Kind = "hold_key"
	Wait           Kind = "wait"
)

// Args are the arguments of a call.
type Args struct {
	// Actions are done in order, 1 to arc.Model.Actions of them (0 means 1).
	Actions []Action `json:"actions" jsonschema:"minItems=1,maxItems=1" jsonschema_description:"what to do"`
}

// An Action is one thing to do. Which fields it takes is in the table of
// [Computer.Do]; empty and zero ones count as left out.
type Action struct {
	Action          Kind    `json:"action" jsonschema:"enum=screenshot,enum=zoom,enum=left_click,enum=right_click,enum=middle_click,enum=double_click,enum=triple_click,enum=left_click_drag,enum=mouse_move,enum=left_mouse_down,enum=left_mouse_up,enum=cursor_position,enum=scroll,enum=type,enum=key,enum=hold_key,enum=wait" jsonschema_description:"its kind"`
	Coordinate      []int   `json:"coordinate,omitempty" jsonschema_description:"[x, y]"`
	StartCoordinate []int   `json:"start_coordinate,omitempty" jsonschema_description:"of left_click_drag, if not at the pointer"`
	Text            string  `json:"text,omitempty" jsonschema_description:"to type; key, hold_key: 'Return', 'super+s'; clicks, scroll: modifiers, as 'shift'"`
	ScrollDirection string  `json:"scroll_direction,omitempty" jsonschema:"enum=up,enum=down,enum=left,enum=right" jsonschema_description:"where to"`
	ScrollAmount    int     `json:"scroll_amount,omitempty" jsonschema_description:"notches, 1-50 (3)"`
	Region          []int   `json:"region,omitempty" jsonschema_description:"zoom: [x0, y0, x1, y1]"`
	Duration        float64 `json:"duration,omitempty" jsonschema_description:"seconds of wait, hold_key"`
}

// field is one bit for each field that an action may have.
type field uint8

const (
	coordinate field = 1 << iota
	startCoordinate
	text
	scrolling // direction and amount
	region
	duration
)

var fieldNames = [...]struct {
	field field
	name  string
}{
	{coordinate, "coordinate"}, {startCoordinate, "start_coordinate"}, {text, "text"},
	{scrolling, "scroll_direction and scroll_amount"}, {region, "region"}, {duration, "duration"},
}

// given are the fields that are not left out.
func (a Action) given() field {
	var f field
	for _, g := range [...]struct {
		field field
		there bool
	}{
		{coordinate, len(a.Coordinate) > 0}, {startCoordinate, len(a.StartCoordinate) > 0}, {text, a.Text != ""},
		{scrolling, a.ScrollDirection != "" || a.ScrollAmount != 0}, {region, len(a.Region) > 0}, {duration, a.Duration != 0},
	} {
		if g.there {
			f |= g.field
		}
	}
	return f
}

// rule says which fields a kind needs and which it may have, and what it is done
// with.
type rule struct {
	kind            Kind
	needs, may      field
	button          Button
	clicks          int
	input, readOnly bool // it acts on the desktop; it asks and shows nothing
}

var rules = [...]rule{
	{kind: Screenshot},
	{kind: Zoom, needs: region},
	{kind: LeftClick, may: coordinate | text, button: Left, clicks: 1, input: true},
	{kind: RightClick, may: coordinate | text, button: Right, clicks: 1, input: true},
	{kind: MiddleClick, may: coordinate | text, button: Middle, clicks: 1, input: true},
	{kind: DoubleClick, may: coordinate | text, button: Left, clicks: 2, input: true},
	{kind: TripleClick, may: coordinate | text, button: Left, clicks: 3, input: true},
	{kind: LeftClickDrag, needs: coordinate, may: startCoordinate | text, input: true},
	{kind: MouseMove, needs: coordinate, input: true},
	{kind: LeftMouseDown, may: coordinate, input: true},
	{kind: LeftMouseUp, may: coordinate, input: true},
	{kind: CursorPosition, readOnly: true},
	{kind: Scroll, needs: scrolling, may: coordinate | text, input: true},
	{kind: Type, needs: text, input: true},
	{kind: PressKey, needs: text, input: true},
	{kind: HoldKey, needs: text | duration, input: true},
	{kind: Wait, may: duration},
}

func ruleOf(k Kind) (rule, bool) {
	for _, r := range rules {
		if r.kind == k {
			return r, true
		}
	}
	return rule{}, false
}
