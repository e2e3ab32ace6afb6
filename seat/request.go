package seat

import (
	"encoding/json"
	"fmt"
)

// maxRequestID is the longest request or origin id, in bytes.
const maxRequestID = 200

// canonical is a verb's arguments as its request id is bound to them: field by
// field in the order of their names, without those that say under which condition
// to act (dry_run, expected_history_revision) and without the id itself. A client
// that reads the revision anew and tries again still means the same write.
func canonical(args any) string {
	b, err := json.Marshal(args)
	if err != nil {
		return fmt.Sprintf("%#v", args) // cannot be: arguments are strings, numbers and booleans
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return string(b)
	}
	for _, name := range []string{"dry_run", "expected_history_revision", "request_id", "run_id", "membership_id", "agent_id"} {
		delete(fields, name)
	}
	out, err := json.Marshal(fields) // keys in order
	if err != nil {
		return string(b)
	}
	return string(out)
}
