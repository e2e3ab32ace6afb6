// This program runs one command as Crush's bash tool does, with Crush's own shell
// package, and prints what it took: nanoseconds, those of processor time, the peak of
// memory in KiB, and bytes of output. It is built inside a checkout of
// github.com/charmbracelet/crush, whose package is internal:
//
//	mkdir internal/measured && cp main.go internal/measured
//	go build -o /tmp/crush ./internal/measured
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/charmbracelet/crush/internal/shell"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1]) // times
	m := shell.GetBackgroundShellManager()
	for range n {
		before, began := cpu(), time.Now()
		b, err := m.Start(context.Background(), os.Args[2], nil, os.Args[3], "")
		if err != nil {
			panic(err)
		}
		said := 0
		ticker := time.NewTicker(100 * time.Millisecond)
		for range ticker.C {
			out, errs, done, _ := b.GetOutput()
			if said = len(out) + len(errs); done {
				break
			}
		}
		ticker.Stop()
		m.Remove(b.ID)
		var r syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &r)
		fmt.Println(time.Since(began).Nanoseconds(), cpu()-before, r.Maxrss, said)
	}
}

func cpu() (ns int64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		syscall.Getrusage(who, &r)
		ns += r.Utime.Nano() + r.Stime.Nano()
	}
	return ns
}
