package tools

import (
	"encoding/json"
	"testing"
)

func BenchmarkNormalise(b *testing.B) {
	for name, c := range map[string]struct{ schema, args string }{
		"shell_exec": {shellSchema, `{"command":"go test ./...","timeout_sec":120,"cwd":"tools"}`},
		"wait":       {waitSchema, `{"job_id":"job_1","note":"the build"}`},
		"repaired":   {shellSchema, `{"command":"go test ./...","timeout_sec":"120","cwd":null}`},
	} {
		b.Run(name, func(b *testing.B) {
			s := compiled(b, c.schema)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.normalise(json.RawMessage(c.args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
