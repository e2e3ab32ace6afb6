package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
	"github.com/arcseat/arc/tools"
)

// A listed is a tool as -list prints it.
type listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Listing     string          `json:"listing"`
	Listed      bool            `json:"listed"` // from the start
}

var listings = map[arc.Listing]string{arc.Direct: "direct", arc.Hosted: "hosted", arc.Discover: "discover"}

// printList prints the first list, and then what can be found by search, a tool
// a line.
func printList(w io.Writer, session *tools.Session) error {
	var all []listed
	add := func(defs []arc.Definition, first bool) {
		for _, d := range defs {
			all = append(all, listed{d.Name, d.Description, d.Schema, listings[d.Listing], first})
		}
	}
	add(session.List(), true)
	add(session.Deferred(), false)
	lines := make([][]byte, len(all))
	for i, l := range all {
		line, err := plainjson.Marshal(l)
		if err != nil {
			return err
		}
		lines[i] = line
	}
	_, err := fmt.Fprintf(w, "[%s]\n", bytes.Join(lines, []byte(",\n")))
	return err
}
