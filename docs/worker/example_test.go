//go:build unix

package worker_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc/docs/worker"
)

// The program of this example begins its main with worker.Main, so that it can
// be started again as a worker.
func ExampleNew() {
	engine, err := worker.New(context.Background(), &worker.Options{Reexec: true})
	if err != nil {
		fmt.Println(err) // no worker is possible here
		return
	}
	defer engine.Close()
	fmt.Println(engine.Name())
	// Output: actor-1
}
