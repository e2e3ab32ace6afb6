package main

import (
	"encoding/json"

	"github.com/arcseat/arc/internal/fakemodel"
)

// demoScript is what the model of the demonstration does: what a good model
// would, and one thing too early.
func demoScript() fakemodel.Script {
	type fields = map[string]any
	one := func(tool, args string) []fakemodel.Call {
		return []fakemodel.Call{{Tool: tool, Args: json.RawMessage(args)}}
	}
	test := one("shell_exec", `{"command":"`+demoTest+`","block_budget_sec":60}`)
	red := fakemodel.Match{Of: "shell_exec", Contains: "exactly 100.00: the total is 10000", Fields: fields{"status": "failed"}}
	green := fakemodel.Match{Of: "shell_exec", Fields: fields{"status": "completed", "exit_code": 0}}
	changeID := func(of string) fakemodel.Pull { return fakemodel.Pull{Of: of, Field: "change_id"} }
	summary := `{"summary":"The discount now starts at exactly 100.00, as its comment says; the tests are green."}`

	return fakemodel.Script{Steps: []fakemodel.Step{
		{
			Name: "run the tests", When: fakemodel.Match{Unlisted: []string{"workspace_undo"}},
			Text: "First, what fails?", Calls: test,
		},
		{
			Name: "search", When: red,
			Text:  "A cart of exactly 100.00 gets no discount. Where is that decided?",
			Calls: one("workspace_search", `{"query":"discountFrom"}`),
		},
		{
			Name: "read", When: fakemodel.Match{Contains: "discount.go"},
			Text: "I'll read the test and the code together.",
			Calls: append(
				one("workspace_read", `{"path":"cart_test.go"}`),
				one("workspace_read", `{"path":"discount.go"}`)...,
			),
		},
		{
			Name: "edit with the hash", When: fakemodel.Match{Of: "workspace_read", Contains: "if sum > discountFrom {"},
			Pull: map[string]fakemodel.Pull{"sha256": {Of: "workspace_read", Field: "sha256"}},
			Text: "The comment says \"from 100.00 on\", the code says \"above\".",
			Calls: one("workspace_edit", `{"path":"discount.go","old_string":"if sum > discountFrom {",`+
				`"new_string":"if sum >= discountFrom {","expected_sha256":"${sha256}"}`),
		},
		{
			Name: "test the fix", When: fakemodel.Match{Fields: fields{"error": nil}},
			Pull:  map[string]fakemodel.Pull{"edit": changeID("workspace_edit")},
			Calls: test,
		},
		{
			Name: "look for undo", When: green,
			Text:  "Green. The change should be undone and done again: is there a tool for that?",
			Calls: one("tool_search", `{"query":"undo a change"}`),
		},
		{
			Name: "undo", When: fakemodel.Match{Listed: []string{"workspace_undo"}},
			Calls: one("workspace_undo", `{"change_id":"${edit}"}`),
		},
		{
			Name: "test without the fix", When: fakemodel.Match{Fields: fields{"error": nil}},
			Pull:  map[string]fakemodel.Pull{"undo": changeID("workspace_undo")},
			Calls: test,
		},
		{
			Name: "finish too early", When: red,
			Text:  "Red again, as it should be. Would this do?",
			Calls: one("finish", summary),
		},
		{
			Name: "undo the undo", When: fakemodel.Match{Of: "finish", Fields: fields{"status": "not_finished"}},
			Text:  "It would not: the tests have to be green. An undo is a change too, so it can be undone.",
			Calls: one("workspace_undo", `{"change_id":"${undo}"}`),
		},
		{
			Name: "test the fix again", When: fakemodel.Match{Fields: fields{"error": nil}},
			Calls: test,
		},
		{
			Name: "finish", When: green,
			Text:  "Green.",
			Calls: one("finish", summary),
		},
	}}
}
