package shell

import (
	"context"
	"fmt"
	"slices"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

const (
	execName   = "shell_exec"
	outputName = "shell_output"
	jobName    = "shell_job"
)

var _ arc.Provider = (*Shell)(nil)

// Tools are shell_exec, shell_output and shell_job. They belong to a room with
// Full Access and a project.
func (s *Shell) Tools() []arc.Tool { return slices.Clone(s.tools) }

func (s *Shell) makeTools() []arc.Tool {
	needs := arc.Needs{Access: arc.FullAccess, Project: true}
	return []arc.Tool{
		tools.New(arc.Definition{
			Name: execName,
			Description: fmt.Sprintf("Run a non-interactive command in a fresh shell. It cannot be undone; stdin_text is no terminal. "+
				"Past block_budget_sec (%g) it goes on in the background (at most %d); timeout_sec (%g) ends it. "+
				"Search finds shell_output and shell_job.",
				s.limits.BlockBudget.Seconds(), s.limits.Jobs, s.limits.Timeout.Seconds()),
			Needs:   needs,
			Effects: arc.Effects{Destructive: true, OpenWorld: true},
		}, s.callExec),
		tools.New(arc.Definition{
			Name: outputName,
			Description: "Page a command's whole output, stdout and stderr as they came. " +
				"Continue at offset + bytes until eof. Invalid UTF-8 is replaced.",
			Listing: arc.Discover,
			Needs:   needs,
			Effects: arc.Effects{ReadOnly: true},
		}, s.callOutput),
		tools.New(arc.Definition{
			Name: jobName,
			Description: "Check a background shell job: status, exit code, new output. " +
				"Do other work between looks, or wait for its [shell-job] notice.",
			Listing: arc.Discover,
			Needs:   needs,
			Effects: arc.Effects{ReadOnly: true},
		}, s.callJob),
	}
}

func (s *Shell) callExec(ctx context.Context, c arc.Call, a ExecArgs) (*arc.Result, error) {
	var progress func([]byte)
	if c.Progress != nil {
		progress = func(b []byte) { c.Report(arc.Progress{Output: b}) }
	}
	r, err := s.exec(ctx, c.Origin, a, progress)
	if err != nil {
		return nil, err
	}
	if r.Status == StatusRunning && c.Seat != nil {
		r.Hint += "; the wait tool with job_id yields until then"
	}
	return &arc.Result{Data: r, Body: r.Output, Next: r.Next, Touched: r.Touched}, nil
}

func (s *Shell) callOutput(ctx context.Context, c arc.Call, a OutputArgs) (*arc.Result, error) {
	r, err := s.Output(ctx, c.Origin.Seat, a)
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: r, Body: r.Output, Next: r.Next}, nil
}

func (s *Shell) callJob(ctx context.Context, c arc.Call, a JobArgs) (*arc.Result, error) {
	r, err := s.Job(ctx, c.Origin.Seat, a)
	if err != nil {
		return nil, err
	}
	return &arc.Result{Data: r, Body: r.Output, Next: r.Next}, nil
}
