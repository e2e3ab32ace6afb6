package tools_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// NoteArgs are the arguments of a tool that keeps a note.
type NoteArgs struct {
	Note string `json:"note" jsonschema:"maxLength=1500" jsonschema_description:"What to keep"`
}

// A Notebook has the notes of many seats.
type Notebook map[arc.SeatID][]string

// Remember keeps a note for the seat that calls.
func (n Notebook) Remember(_ context.Context, c arc.Call, a NoteArgs) (string, error) {
	n[c.Origin.Seat] = append(n[c.Origin.Seat], a.Note)
	return fmt.Sprintf("%s has %d notes", c.Origin.Seat, len(n[c.Origin.Seat])), nil
}

// A function that needs the call as well, here for the seat that made it.
func ExampleNew() {
	remember := tools.New(arc.Definition{Name: "remember", Description: "Keep a note."}, Notebook{}.Remember)
	set, err := tools.NewSet([]arc.Provider{tools.Of(remember)}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	turn := arc.Turn{Origin: arc.Origin{Seat: "seat_a"}}
	fmt.Println(set.Session(turn).Call(context.Background(), arc.Call{Name: "remember", Args: []byte(`{"note":"tea"}`)}))
	// Output: seat_a has 1 notes
}
