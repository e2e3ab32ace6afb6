package seat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

const notInspected = "workspace_not_inspected: list, read or search the files before you plan"

// A planDraft is what a model sent as a plan, as far as it can be read. What is nil was
// not sent.
type planDraft struct {
	Summary  *string        `json:"summary"`
	Subtasks []subtaskDraft `json:"subtasks"`
}

type subtaskDraft struct {
	Title       *string  `json:"title"`
	Instruction *string  `json:"instruction"`
	Acceptance  *string  `json:"acceptance"`
	TargetFiles []string `json:"target_files"`
}

// planProblems are all that is wrong with a plan by itself.
func (h *hold) planProblems(ctx context.Context, p arc.Plan) []string {
	var problems []string
	if n := len(p.Subtasks); n < 1 || n > maxSubtasks {
		problems = append(problems, fmt.Sprintf("a plan has 1 to %d subtasks, this one has %d", maxSubtasks, n))
	}
	d := planDraft{Summary: &p.Summary}
	for i, t := range p.Subtasks {
		if len(t.TargetFiles) == 0 {
			problems = append(problems, fmt.Sprintf("subtask %d: target_files is empty", i+1))
		}
		d.Subtasks = append(d.Subtasks, subtaskDraft{&t.Title, &t.Instruction, &t.Acceptance, t.TargetFiles})
	}
	return append(problems, h.draftProblems(ctx, d)...)
}

// draftProblems are what is wrong with what was sent, beside its shape.
func (h *hold) draftProblems(ctx context.Context, d planDraft) []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	blank := func(s *string) bool { return s != nil && strings.TrimSpace(*s) == "" }
	if blank(d.Summary) {
		add("summary is blank")
	}
	for i, t := range d.Subtasks {
		for _, f := range []struct {
			name string
			text *string
		}{{"title", t.Title}, {"instruction", t.Instruction}, {"acceptance", t.Acceptance}} {
			if blank(f.text) {
				add("subtask %d: %s is blank", i+1, f.name)
			}
		}
		for _, file := range t.TargetFiles {
			if why := h.pathFault(ctx, file); why != "" {
				add("subtask %d: %q %s", i+1, page.First(file, 200), why)
			}
		}
	}
	return problems
}

// planRest adds to the refusal of a plan whose shape is wrong what else is wrong with
// it: a model that hears all at once mends all at once.
func (t *Turn) planRest(ctx context.Context, c arc.Call, r *arc.Result) {
	if c.Name != planTool || r.Err == nil || r.Err.Code != arc.InvalidArguments {
		return
	}
	var d planDraft
	var kind *json.UnmarshalTypeError
	if err := json.Unmarshal(c.Args, &d); err != nil && !errors.As(err, &kind) {
		return
	}
	problems := (&hold{t}).draftProblems(ctx, d)
	if t.Project {
		seen := true // where that cannot be found out, the plan itself will
		_ = t.svc.store.View(ctx, func(tx *Tx) error {
			x, err := turnByID(tx, t.Origin.Seat, t.Origin.Turn)
			if err == nil && x != nil {
				seen, err = inspected(tx, x)
			}
			return err
		})
		if !seen {
			problems = append(problems, notInspected)
		}
	}
	if len(problems) == 0 {
		return
	}
	var shape struct {
		Problems []string `json:"problems"`
		More     int      `json:"more"`
	}
	if b, err := json.Marshal(r.Err.Detail); err != nil || json.Unmarshal(b, &shape) != nil {
		return
	}
	const shown = 20
	all := detail{"problems": append(shape.Problems, problems[:min(len(problems), shown)]...)}
	if more := shape.More + max(len(problems)-shown, 0); more > 0 {
		all["more"] = more
	}
	r.Err = &arc.Error{
		Code: r.Err.Code, Next: r.Err.Next, Err: r.Err.Err, Detail: all,
		Message: fmt.Sprintf("%s Besides: %s.", r.Err.Message, page.First(strings.Join(problems, "; "), 900)),
	}
}

// pathFault says why a plan cannot name a file.
func (h *hold) pathFault(ctx context.Context, file string) string {
	switch clean := path.Clean(file); {
	case strings.TrimSpace(file) == "" || clean == ".":
		return "is no file"
	case strings.ContainsAny(file, "*?"): // other letters of patterns are in names too: [id].tsx
		return "is a pattern; name each file"
	case !utf8.ValidString(file) || strings.ContainsFunc(file, unicode.IsControl):
		return "is no name that could be written down"
	case path.IsAbs(file) || strings.Contains(file, `\`) || len(file) > 1 && file[1] == ':':
		return "is not a relative path with slashes"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "leads out of the project"
	}
	if h.t.Project && h.t.o.Paths != nil {
		err := h.t.o.Paths.CheckTarget(ctx, file)
		var known *arc.Error
		switch {
		case errors.Is(err, arc.IsDirectory):
			return "is a directory; name the files in it"
		case errors.As(err, &known):
			return "cannot be written: " + strings.TrimSuffix(known.Message, ".")
		case err != nil:
			return "cannot be written: " + err.Error()
		}
	}
	return ""
}

// inspected reports whether the seat has looked at the project since the run's last
// prompt of the operator.
func inspected(tx *Tx, x *turnRow) (bool, error) {
	var n int64
	_, err := tx.one(`SELECT COUNT(*) FROM step WHERE ended = 1 AND failed = ''
		AND (tool IN ('workspace_list', 'workspace_read', 'workspace_search') OR tool LIKE 'workspace_document_%')
		AND turn_id IN (SELECT id FROM turn WHERE seat_id = $1 AND run_id = $2 AND (live = 1 OR status = 'running') AND seq >=
			(SELECT COALESCE(MAX(seq), $3) FROM turn WHERE seat_id = $1 AND run_id = $2 AND origin <> 'wake' AND (live = 1 OR status = 'running')))`,
		[]any{x.seat, x.run, x.seq}, &n)
	return n > 0, err
}
