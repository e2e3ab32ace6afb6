// Package spans traces the calls of a set: each becomes a span of OpenTelemetry.
//
// # Overview
//
// [Middleware] follows the conventions of OpenTelemetry for tools of generative
// models: the span execute_tool NAME, with the tool's name and the call's id, and
// error.type with the stable code of a refusal. It is a module of its own, so that a
// host of Arc has OpenTelemetry only if it wants to.
//
// # Usage
//
//	set, err := tools.NewSet(providers, &tools.Options{
//		Middleware: []tools.Middleware{spans.Middleware(otel.Tracer("host"))},
//	})
//
// # Trust
//
// Arguments and results are not recorded: they hold the content of files. Where a
// product wants them, it says so to the people whose files they are.
//
// # Concurrency
//
// The middleware keeps nothing, and is as safe for concurrent use as its tracer.
//
// # Errors
//
// There are none; a refused call is a span with an error status.
package spans

import (
	"context"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Middleware makes a span of t for each call. What a tool does with its context is
// below it: a fetch of a page, say.
func Middleware(t trace.Tracer) tools.Middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, c arc.Call) *arc.Result {
			ctx, span := t.Start(ctx, "execute_tool "+c.Name, trace.WithAttributes(
				attribute.String("gen_ai.operation.name", "execute_tool"),
				attribute.String("gen_ai.tool.name", c.Name),
				attribute.String("gen_ai.tool.call.id", c.ID),
			))
			defer span.End()
			r := next(ctx, c)
			if r.Err != nil {
				span.SetAttributes(attribute.String("error.type", string(r.Err.Code)))
				span.SetStatus(codes.Error, "")
			}
			return r
		}
	}
}
