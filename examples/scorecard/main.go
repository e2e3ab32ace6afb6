package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/arcseat/arc/examples/internal/usage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	fs := usage.Flags("scorecard")
	names := fs.String("only", "", "the `rows` to judge, with commas between them")
	budget := fs.Duration("time", 10*time.Minute, "how long the run may take: `duration` after which no further row is begun")
	list := fs.Bool("list", false, "print what there is to judge, and by which tests")
	err := fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("%q is too much; rows are named by -only", fs.Arg(0))
	}
	var some []row
	if err == nil {
		some, err = only(*names)
	}
	if err != nil {
		return usage.Told(stderr, fs, err, help)
	}
	if *list {
		show(stdout, some)
		return 0
	}
	root, err := top(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "scorecard:", err)
		return 1
	}
	begin := time.Now()
	for _, r := range some {
		var lines []line
		if time.Since(begin) < *budget {
			lines = r.judge(ctx, root, func(output string) { fmt.Fprint(stderr, output) })
		} else {
			lines = []line{r.without(skip, fmt.Sprintf("left out, the %s are over; -time gives more", *budget))}
		}
		if ctx.Err() != nil {
			return 1
		}
		for _, l := range lines {
			fmt.Fprintln(stdout, l)
			if l.verdict == fail {
				code = 1
			}
		}
	}
	return code
}

func help(fs *flag.FlagSet) {
	fmt.Fprint(fs.Output(), "usage: scorecard [flags]   run the packages' own checks, print NAME value target PASS|FAIL|SKIP\n\n")
	fs.PrintDefaults()
}

// show prints what there is to judge.
func show(w io.Writer, some []row) {
	for _, r := range some {
		fmt.Fprintf(w, "%-*s  %s\n", nameWidth, r.name, r.about)
		for _, c := range r.checks {
			fmt.Fprintf(w, "%-*s    %s: %s\n", nameWidth, "", c.dir, strings.Join(c.tests, " "))
		}
	}
}

// top is the root of the repository, whichever of its folders the program is started in.
func top(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/arcseat/arc")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("start it in a checkout of arc: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
