//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

// bubblewrap and sandbox-exec pass on descriptor 3, where the shell reads its command.
func ExampleHostRunner_bubblewrap() {
	const project = "/home/me/project"
	r := shell.HostRunner{
		Wrap: func(argv []string, s shell.Spec) []string {
			return append([]string{
				"/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
				"--bind", project, project, "--chdir", s.Dir, "--unshare-pid", "--unshare-net", "--die-with-parent", "--",
			}, argv...)
		},
		Confines: "commands are confined here: they write to the project alone, and have no network",
	}
	argv := r.Wrap([]string{"/bin/bash", "/dev/fd/3"}, shell.Spec{Dir: project})
	fmt.Println(strings.Join(argv[len(argv)-4:], " "))
	// Output: --die-with-parent -- /bin/bash /dev/fd/3
}

// docker exec passes no descriptor: the command is an argument, of at most 128 KiB.
// Ending it ends the client, and what it has started in the container lives on, unless
// something there sees to that.
func ExampleHostRunner_container() {
	r := shell.HostRunner{Wrap: func(_ []string, s shell.Spec) []string {
		return []string{"/usr/bin/docker", "exec", "-i", "-w", s.Dir, "box", "timeout", "900", "bash", "-c", s.Command}
	}}
	fmt.Printf("%q\n", r.Wrap(nil, shell.Spec{Dir: "/src", Command: "go test ./..."}))
	// Output: ["/usr/bin/docker" "exec" "-i" "-w" "/src" "box" "timeout" "900" "bash" "-c" "go test ./..."]
}

// ssh gives its words to a shell on the other side, so the command is quoted for it.
func ExampleHostRunner_ssh() {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	r := shell.HostRunner{Wrap: func(_ []string, s shell.Spec) []string {
		return []string{"/usr/bin/ssh", "-T", "build", "cd /src && exec bash -c " + quote(s.Command)}
	}}
	fmt.Println(r.Wrap(nil, shell.Spec{Command: "echo 'it works'"})[3])
	// Output: cd /src && exec bash -c 'echo '\''it works'\'''
}

// What the host calls secret is covered in what a model sees.
func ExampleOptions_secrets() {
	dir, state, remove := project()
	defer remove()
	ctx := context.Background()
	sh, err := shell.Open(dir, &shell.Options{
		State:   state,
		Env:     []string{"DEPLOY_KEY=k-12345678"},
		Secrets: func() []string { return []string{"k-12345678"} },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sh.Close(ctx)
	res, err := sh.Exec(ctx, arc.Origin{}, shell.ExecArgs{Command: "echo key=$DEPLOY_KEY"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(res.Output)
	// Output: key=**********
}
