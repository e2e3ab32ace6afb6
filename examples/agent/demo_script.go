package main

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/fakemodel"
)

// demoScript is what the model of the demonstration does: what a good model
// would, and one thing too early. What it changes depends on what it has read.
func demoScript() fakemodel.Script {
	type fields = map[string]any
	test := one("shell_exec", `{"command":"`+demoTest+`","block_budget_sec":60}`)
	red := fakemodel.Match{Of: "shell_exec", Contains: "exactly 100.00: the total is 10000", Fields: fields{"status": "failed"}}
	green := fakemodel.Match{Of: "shell_exec", Fields: fields{"status": "completed", "exit_code": 0}}
	changeID := func(of string) fakemodel.Pull { return fakemodel.Pull{Of: of, Field: "change_id"} }
	summary := `{"summary":"The discount now begins at ${whole}.${cents}, and the tests are green."}`

	return fakemodel.Script{Steps: []fakemodel.Step{
		{
			Name: "run the tests", When: fakemodel.Match{Unlisted: []string{"workspace_document_read", "workspace_undo"}},
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
			Name: "look for a reader", When: fakemodel.Match{Of: "workspace_read", Regexp: `15000 .*rules\.pdf`},
			Pull:  map[string]fakemodel.Pull{"sha256": {Of: "workspace_read", Field: "sha256"}},
			Text:  "The test wants a discount at 100.00, the code begins at 150.00, and the rules are in a PDF. Is there a tool for that?",
			Calls: one("tool_search", `{"query":"read a PDF"}`),
		},
		{
			Name: "search the rules", When: fakemodel.Match{Listed: []string{"workspace_document_inspect", "workspace_document_search"}},
			Calls: append(
				one("workspace_document_inspect", `{"path":"rules.pdf"}`),
				one("workspace_document_search", `{"path":"rules.pdf","query":"discount"}`)...,
			),
		},
		{Name: "read the rule", Do: readTheRule},
		{
			Name: "edit with the hash",
			Pull: map[string]fakemodel.Pull{"whole": {Regexp: ruled + `(\d+)\.\d\d`}, "cents": {Regexp: ruled + `\d+\.(\d\d)`}},
			Do:   mend,
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

func one(tool, args string) []fakemodel.Call {
	return []fakemodel.Call{{Tool: tool, Args: json.RawMessage(args)}}
}

// ruled is what stands before the sum from which on there is a discount, in the rules
// and in the test.
const ruled = `(?:begins at a sum of|"exactly) `

// readTheRule reads the page that a search of the rules has found. On a machine that
// reads no PDF files it looks for the sum elsewhere.
func readTheRule(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
	found, _ := r.Last("workspace_document_search")
	if e, ok := found.Header()["error"].(map[string]any); ok && e["code"] == string(arc.Unavailable) {
		return "No PDF can be read on this machine. What else speaks of 100.00?",
			one("workspace_search", `{"query":"100.00"}`), nil
	}
	page := regexp.MustCompile(`(?m)^page (\d+): .*begins`).FindStringSubmatch(found.Text)
	if page == nil {
		return "", nil, errors.New("the rules do not say where a discount begins: " + found.Text)
	}
	return "Page " + page[1] + " has it.",
		one("workspace_document_read", `{"path":"rules.pdf","start_page":`+page[1]+`,"end_page":`+page[1]+`}`), nil
}

// mend makes the code begin where the rules say, or the test if nobody reads rules.
func mend(r *fakemodel.Request, _ map[string]any) (string, []fakemodel.Call, error) {
	said := "The rules say ${whole}.${cents}: the test is right, and the code is not."
	if last, _ := r.Last(""); last.Name != "workspace_document_read" {
		said = "The test alone does. I take its word that it is ${whole}.${cents}, and somebody should look into the rules."
	}
	return said, one("workspace_edit", `{"path":"discount.go","old_string":"discountFrom    = 15000",`+
		`"new_string":"discountFrom    = ${whole}${cents}","expected_sha256":"${sha256}"}`), nil
}
