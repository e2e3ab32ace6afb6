package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// building is how long a check may take to build on a machine that has built nothing.
const building = 10 * time.Minute

// An event is what go test says, a JSON object a line.
type event struct {
	Action, Test, Output string
}

// A report is what the tests of a check have come to.
type report struct {
	lines   []line
	by      []string          // the top test that printed each of lines
	ended   map[string]string // by top test: pass, bench, fail or skip
	skipped map[string]string // by top test: why it was, or a part of it
	rest    string            // the end of all else that was said
}

// run runs c. An error is not that of a test: the program could not be built or run, or
// took longer than limit.
func (c check) run(ctx context.Context, root string, limit time.Duration) (*report, error) {
	ctx, cancel := context.WithTimeout(ctx, building+limit)
	defer cancel()
	args := append([]string{"test", "-json", "-count=1", "-timeout", limit.String()}, c.patterns()...)
	if len(c.flags) > 0 {
		args = append(append(args, "-args"), c.flags...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = filepath.Join(root, filepath.FromSlash(c.dir)), append(os.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	failed := cmd.Run()
	r := read(out.Bytes())
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case failed != nil && len(r.ended) == 0:
		return r, fmt.Errorf("go test in %s: %w", c.dir, failed)
	}
	for name, how := range r.ended {
		switch {
		case how != "run":
		case failed != nil: // it was cut short with the program
			r.ended[name] = "fail"
		default: // a benchmark with parts is not said to have ended
			r.ended[name] = "pass"
		}
	}
	return r, nil
}

// patterns are the flags that choose c's tests.
func (c check) patterns() []string {
	var run, bench []string
	for _, name := range c.tests {
		top, part, ok := strings.Cut(name, "/")
		if top = "^" + top + "$"; ok {
			top += "/" + part
		}
		if strings.HasPrefix(name, "Benchmark") {
			bench = append(bench, top)
		} else {
			run = append(run, top)
		}
	}
	if len(bench) == 0 {
		return []string{"-run", strings.Join(run, "|")}
	}
	return []string{"-run", cmp.Or(strings.Join(run, "|"), "^$"), "-bench", strings.Join(bench, "|")}
}

// read reads what go test said.
func read(out []byte) *report {
	r := &report{ended: map[string]string{}, skipped: map[string]string{}}
	said := map[string]string{} // the last line of each test
	var rest bytes.Buffer
	for text := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(text, &e) != nil {
			e = event{Output: string(text)} // of a build that failed
		}
		top, _, _ := strings.Cut(e.Test, "/")
		switch e.Action {
		case "run", "bench", "pass", "fail":
			if e.Test == top && top != "" {
				r.ended[top] = e.Action
			}
		case "skip":
			if e.Test == top && top != "" {
				r.ended[top] = e.Action
			}
			r.skipped[top] = said[e.Test]
		}
		if e.Output == "" {
			continue
		}
		rest.WriteString(e.Output)
		words := strings.TrimSpace(e.Output)
		if l, ok := scored(words); ok {
			r.keep(l, top)
		} else if words != "" && !strings.HasPrefix(words, "---") && !strings.HasPrefix(words, "===") {
			said[e.Test] = words
		}
	}
	r.rest = string(rest.Bytes()[max(0, rest.Len()-4000):])
	return r
}

// keep keeps a line that a test has printed. A benchmark that is run longer and longer
// says the same again, and better.
func (r *report) keep(l line, by string) {
	for i, old := range r.lines {
		if r.by[i] == by && old.name == l.name && old.what == l.what {
			r.lines[i] = l
			return
		}
	}
	r.lines, r.by = append(r.lines, l), append(r.by, by)
}
