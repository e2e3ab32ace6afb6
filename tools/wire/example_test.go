package wire_test

import (
	"encoding/json"
	"fmt"

	"github.com/arcseat/arc/tools/wire"
)

func ExampleComputerArgs() {
	block := json.RawMessage(`{"type":"tool_use","id":"toolu_1","name":"computer","input":{"action":"left_click","coordinate":[640,400],"key":"shift"}}`)
	args, err := wire.ComputerArgs(wire.AnthropicComputer20250124, block)
	fmt.Println(string(args), err)

	item := json.RawMessage(`{"type":"computer_call","call_id":"call_1","actions":[
		{"type":"scroll","x":640,"y":400,"scroll_x":0,"scroll_y":300},
		{"type":"keypress","keys":["CTRL","A"]}]}`)
	args, err = wire.ComputerArgs(wire.OpenAIComputer, item)
	fmt.Println(string(args), err)

	item = json.RawMessage(`{"type":"computer_call","call_id":"call_2","action":{"type":"move","x":640,"y":400,"keys":["SHIFT"]}}`)
	_, err = wire.ComputerArgs(wire.OpenAIComputer, item)
	fmt.Println(err)
	// Output:
	// {"actions":[{"action":"left_click","coordinate":[640,400],"text":"shift"}]} <nil>
	// {"actions":[{"action":"scroll","coordinate":[640,400],"scroll_direction":"down","scroll_amount":3},{"action":"key","text":"CTRL+A"}]} <nil>
	// invalid_arguments: the pointer cannot be moved with keys held; leave keys out, or give them to a click or a drag.
}
