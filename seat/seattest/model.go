package seattest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// model is what a seat has to come to, in a few lines: lists that are walked from end
// to end, without a transaction or an index.
type model struct {
	budget   int
	revision int64
	history  []exchange // live ones, oldest first
	dead     []arc.TurnID
	queue    []queued
	wakes    []wake // armed
	notes    []note // live, oldest first
	notices  []notice
	running  *running // interrupted
	at       int      // the service of now
	answers  []answer // of writes with a request id
}

type exchange struct {
	id            arc.TurnID
	prompt, reply string
	status        string
	excluded      bool
	from          string
}

type queued struct {
	kind, prompt, from string
	wake               wake
}

type wake struct {
	id      string
	note    string
	armedBy arc.TurnID
	elapsed time.Duration // due then, for the service that armed it
	by      int           // which that is, or nobody
	due     time.Time     // and else then
}

const nobody = -1

type note struct {
	by   arc.TurnID
	text string
}

type notice struct {
	about, told arc.TurnID
	done        bool
}

type running struct {
	id      arc.TurnID
	queued  queued
	prompt  string // where it is known
	draft   string
	attempt int
	parked  int // attempts that ended because the host was stopped in good order
}

type answer struct {
	do  func(id string) (revision int64, replayed bool, err error)
	id  string
	was int64
}

// window are the indices of the newest 12 that are not excluded, oldest first.
func (m *model) window() []int {
	var list []int
	for i := len(m.history) - 1; i >= 0 && len(list) < 12; i-- {
		if !m.history[i].excluded {
			list = append(list, i)
		}
	}
	slices.Reverse(list)
	return list
}

// shown is what a text is shown as: whole, or 240 characters of it.
func (m *model) shown() (prompts, replies []string) {
	list := m.window()
	used, clip := 0, false
	for n := range list {
		x := m.history[list[len(list)-1-n]]
		reply := x.reply
		if reply == "" {
			reply = "(no reply: turn ended waiting)"
			if x.status == seat.StatusFailed {
				reply = "(no reply: turn failed)"
			}
		}
		size := utf8.RuneCountInString(x.prompt) + utf8.RuneCountInString(reply)
		if n > 0 && used+size > m.budget {
			clip = true
		}
		used += size
		prompts, replies = append(prompts, cut(x.prompt, clip)), append(replies, cut(reply, clip))
	}
	slices.Reverse(prompts)
	slices.Reverse(replies)
	return prompts, replies
}

func cut(s string, clip bool) string {
	if r := []rune(s); clip && len(r) > 240 {
		return string(r[:240])
	}
	return s
}

// fire queues what is due.
func (m *model) fire(now time.Time, elapsed time.Duration) {
	var due, left []wake
	for _, w := range m.wakes {
		if own := w.by == m.at; own && w.elapsed <= elapsed || !own && !w.due.After(now) {
			due = append(due, w)
		} else {
			left = append(left, w)
		}
	}
	slices.SortFunc(due, func(a, b wake) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.id, b.id)) })
	m.wakes = left
	for _, w := range due {
		m.queue = append(m.queue, queued{kind: "wake", prompt: w.note, from: seat.FromWake, wake: w})
	}
}

// take is what the next turn is made of: one prompt, or wakes that stand together.
func (m *model) take() []queued {
	n := 1
	if m.queue[0].kind == "wake" {
		for n < len(m.queue) && n < 20 && m.queue[n].kind == "wake" {
			n++
		}
	}
	head := m.queue[:n]
	m.queue = slices.Clone(m.queue[n:])
	return head
}

// pending are the notices that a turn that begins now is told.
func (m *model) pending() []*notice {
	var list []*notice
	for i := range m.notices {
		n := &m.notices[i]
		inWindow := slices.ContainsFunc(m.window(), func(x int) bool { return m.history[x].id == n.about })
		if !n.done && inWindow {
			list = append(list, n)
		}
	}
	return list
}

func (m *model) commit(x exchange) {
	m.history = append(m.history, x)
	m.revision++
	m.running = nil
	for i := range m.notices {
		if m.notices[i].told == x.id {
			m.notices[i].done = true
		}
	}
}

func (m *model) noted() string {
	if len(m.notes) == 0 {
		return ""
	}
	return m.notes[len(m.notes)-1].text
}

// index is where a turn stands in the history, -1 for nowhere.
func (m *model) index(id arc.TurnID) int {
	return slices.IndexFunc(m.history, func(x exchange) bool { return x.id == id })
}

// refusal is the first reason why a turn cannot be forgotten, empty for none.
func (m *model) refusal(id arc.TurnID, retry, drop bool, expected *int64) arc.Code {
	i := m.index(id)
	switch {
	case expected != nil && *expected != m.revision:
		return seat.RevisionMismatch
	case m.running != nil && m.running.id == id:
		return seat.TurnNotCommitted
	case i < 0 && slices.Contains(m.dead, id):
		return seat.TurnSuperseded
	case i < 0:
		return arc.NotFound
	case retry && i != len(m.history)-1:
		return seat.NotLastTurn
	case m.running != nil:
		return seat.Busy
	case !drop && m.blocking(i) > 0:
		return seat.TurnsQueued
	}
	return ""
}

// blocking is how much of the queue would be dropped with the history from i on.
func (m *model) blocking(i int) int {
	n := 0
	for _, q := range m.queue {
		if q.kind != "wake" || m.index(q.wake.armedBy) >= i {
			n++
		}
	}
	return n
}

// forget drops the history from i on, and what goes with it. The replacement, if
// there is one, comes first.
func (m *model) forget(i int, replacement *queued) {
	gone := map[arc.TurnID]bool{}
	for _, x := range m.history[i:] {
		gone[x.id] = true
		m.dead = append(m.dead, x.id)
	}
	m.history = slices.Clone(m.history[:i])
	var queue []queued
	if replacement != nil {
		queue = append(queue, *replacement)
	}
	for _, q := range m.queue {
		if q.kind == "wake" && !gone[q.wake.armedBy] {
			queue = append(queue, q)
		}
	}
	m.queue = queue
	m.wakes = slices.DeleteFunc(m.wakes, func(w wake) bool { return gone[w.armedBy] })
	m.notes = slices.DeleteFunc(m.notes, func(n note) bool { return gone[n.by] })
	m.notices = slices.DeleteFunc(m.notices, func(n notice) bool { return gone[n.about] })
	for n := range m.notices {
		if gone[m.notices[n].told] {
			m.notices[n].told, m.notices[n].done = "", false
		}
	}
	m.revision++
}

// differs says where the context is not what the model says, empty for nowhere.
func (m *model) differs(c *seat.Context) string {
	var why []string
	same := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			why = append(why, fmt.Sprintf("%s: got %s, want %s", what, g, w))
		}
	}
	var ids []arc.TurnID
	var prompts, replies []string
	for _, e := range c.Entries {
		if e.State == seat.InWindow {
			ids = append(ids, e.TurnID)
			prompts = append(prompts, e.Prompt.Text+e.Prompt.Head)
			replies = append(replies, e.Reply.Text+e.Reply.Head)
		}
	}
	var wantIDs []arc.TurnID
	for _, i := range m.window() {
		wantIDs = append(wantIDs, m.history[i].id)
	}
	excluded := 0
	for _, x := range m.history {
		if x.excluded {
			excluded++
		}
	}
	wantPrompts, wantReplies := m.shown()
	same("turns", ids, wantIDs)
	same("prompts", prompts, wantPrompts)
	same("replies", replies, wantReplies)
	same("revision", c.HistoryRevision, m.revision)
	same("excluded", c.ExcludedTotal, excluded)
	same("beyond", c.BeyondTotal, len(m.history)-excluded-len(wantIDs))
	same("busy", c.Busy != nil, m.running != nil)
	var queue, wantQueue, wakes, wantWakes []string
	for _, q := range c.Queued {
		queue = append(queue, q.Kind+" "+q.Preview)
	}
	for _, q := range m.queue[:min(len(m.queue), 50)] {
		wantQueue = append(wantQueue, q.kind+" "+cutTo(q.prompt, 120))
	}
	for _, w := range c.PendingWakes {
		wakes = append(wakes, w.ID)
	}
	for _, w := range m.wakes {
		wantWakes = append(wantWakes, w.id)
	}
	slices.Sort(wakes)
	slices.Sort(wantWakes)
	var notices []arc.TurnID
	for _, n := range m.notices {
		if !n.done {
			notices = append(notices, n.about)
		}
	}
	same("notices", c.PendingNotices, notices)
	same("queue", queue, wantQueue)
	same("queued", c.QueuedTotal, len(m.queue))
	same("wakes", wakes, wantWakes)
	chars := -1
	if c.Notes != nil {
		chars = c.Notes.Chars
	}
	wantChars := -1
	if len(m.notes) > 0 {
		wantChars = utf8.RuneCountInString(m.noted())
	}
	same("notes", chars, wantChars)
	return strings.Join(why, "\n")
}

func cutTo(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
