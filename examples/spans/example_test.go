package spans_test

import (
	"context"
	"fmt"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/spans"
	"github.com/arcseat/arc/tools"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func ExampleMiddleware() {
	seen := tracetest.NewInMemoryExporter() // a host has an exporter to its collector
	provider := trace.NewTracerProvider(trace.WithSyncer(seen))
	defer provider.Shutdown(context.Background())

	greet := tools.Func(arc.Definition{Name: "greet", Description: "Greet somebody."},
		func(context.Context, struct{}) (string, error) { return "hello", nil })
	set, err := tools.NewSet([]arc.Provider{tools.Of(greet)}, &tools.Options{
		Middleware: []tools.Middleware{spans.Middleware(provider.Tracer("host"))},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	session := set.Session(arc.Turn{})
	session.Run(context.Background(), []arc.Call{{Name: "greet"}, {Name: "great"}})
	for _, s := range seen.GetSpans() {
		fmt.Println(s.Name, s.Status.Code, s.Attributes[len(s.Attributes)-1].Value.AsString())
	}
	// Output:
	// execute_tool greet Unset call_1
	// execute_tool great Error unknown_tool
}
