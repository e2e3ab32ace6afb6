package wire

import "slices"

// A ComputerVersion is a provider's native computer tool, by the type under which a host
// declares it.
type ComputerVersion string

// The versions that are known. The later ones of Anthropic's have the actions of
// those before.
const (
	// AnthropicComputer20241022 clicks, drags, moves, types, presses keys, and asks
	// for the pointer and for screenshots.
	AnthropicComputer20241022 ComputerVersion = "computer_20241022"
	// AnthropicComputer20250124 adds triple_click, left_mouse_down, left_mouse_up,
	// scroll, hold_key and wait.
	AnthropicComputer20250124 ComputerVersion = "computer_20250124"
	// AnthropicComputer20251124 adds zoom.
	AnthropicComputer20251124 ComputerVersion = "computer_20251124"
	// AnthropicComputerToolset20260801 has a tool for each action: the action is the
	// call's name.
	AnthropicComputerToolset20260801 ComputerVersion = "computer_toolset_20260801"
	// OpenAIComputerUsePreview has one action in a call.
	OpenAIComputerUsePreview ComputerVersion = "computer_use_preview"
	// OpenAIComputer has a list of actions, or one.
	OpenAIComputer ComputerVersion = "computer"
)

// anthropicActions are the actions of one of Anthropic's versions; they are
// called what ours are. Nil: it is not Anthropic's.
func (v ComputerVersion) anthropicActions() []string {
	first := []string{
		"screenshot", "left_click", "right_click", "middle_click", "double_click", "left_click_drag",
		"mouse_move", "cursor_position", "type", "key",
	}
	second := slices.Concat(first, []string{
		"triple_click", "left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait",
	})
	switch v {
	case AnthropicComputer20241022:
		return first
	case AnthropicComputer20250124:
		return second
	case AnthropicComputer20251124, AnthropicComputerToolset20260801:
		return append(second, "zoom")
	}
	return nil
}
