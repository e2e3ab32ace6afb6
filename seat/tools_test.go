package seat_test

import (
	"testing"

	"github.com/arcseat/arc"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, tool := range seat.Tools().Tools() {
		toolstest.Schema(t, tool)
	}
	for _, tool := range seat.OperatorTools(nil, seat.Operator{}).Tools() {
		if name := tool.Definition(arc.Env{}).Name; name != seat.StatusTool { // ours: the sources give it no schema
			toolstest.Schema(t, tool)
		}
	}
}
