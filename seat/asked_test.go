package seat_test

import (
	"fmt"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// What a prompt's sender allows is found again for all that comes of it.
func TestAskedLeadsBackToThePrompt(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	sent := func(text, allows string) {
		t.Helper()
		if _, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: text, Meta: map[string]string{"allows": allows}}); err != nil {
			t.Fatal(err)
		}
	}
	allowed := func(turn arc.TurnID) (list []string) {
		t.Helper()
		asked, err := r.svc.Asked(r.ctx(), turn)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asked {
			list = append(list, m.Text+":"+m.Meta["allows"])
		}
		return list
	}
	want := func(what string, turn arc.TurnID, want string) {
		t.Helper()
		if got := fmt.Sprint(allowed(turn)); got != want {
			t.Errorf("%s goes back to %s, want %s", what, got, want)
		}
	}

	sent("read", "little")
	sent("write", "more")
	var results []*arc.Result
	list := r.turns(r.calling(&results, "ok", call("remind", `{"after":"1h","note":"again"}`)))
	want("a prompt", list[0].Origin.Turn, "[read:little]")
	want("the next", list[1].Origin.Turn, "[write:more]")

	r.clock.Advance(3600e9)
	list = r.turns(r.calling(&results, "ok", call("remind", `{"after":"1h","note":"and again"}`)))
	if len(list) != 1 || len(list[0].Wakes) != 2 {
		t.Fatalf("woken are %+v", list)
	}
	want("a turn that two turns armed", list[0].Origin.Turn, "[read:little write:more]")
	r.clock.Advance(3600e9)
	list = r.turns(say("ok"))
	want("a wake of a wake", list[0].Origin.Turn, "[read:little write:more]")

	sent("more", "nothing")
	last := r.turns(say("bad"))[0].Origin.Turn
	if _, err := r.retry(seat.RetryArgs{TurnID: string(last)}); err != nil {
		t.Fatal(err)
	}
	want("a retry with the same prompt", r.turns(say("good"))[0].Origin.Turn, "[more:nothing]")
	want("no turn", "turn_x", "[]")

	_, err := r.svc.Send(r.ctx(), seat.Prompt{Ref: ref, Text: "x", SourceMessageID: 1, Meta: map[string]string{"a": "b"}})
	code(t, err, arc.InvalidArguments)
}
