package workspace

import "testing"

func special(*testing.T, *project) map[string]string { return nil }
