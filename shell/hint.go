package shell

import "strings"

// refusals are what programs say when the system has refused them something.
var refusals = []string{"permission denied", "operation not permitted", "read-only file system", "eacces", "eperm", "erofs"}

// refusalHint says how a command is confined if it failed and seems to have been refused
// something: so nobody tries again with more force. What it says is all that is known.
func refusalHint(confined string, r *ExecResult) string {
	if confined == "" || r.Status == StatusCompleted || r.Status == StatusRunning {
		return ""
	}
	said := strings.ToLower(r.Output)
	for _, words := range refusals {
		if strings.Contains(said, words) {
			return confined
		}
	}
	return ""
}
