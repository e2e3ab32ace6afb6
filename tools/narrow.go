package tools

import (
	"slices"

	"github.com/arcseat/arc"
)

// narrow takes away from the turn's env what now lacks, and adds nothing.
func narrow(env, now arc.Env) arc.Env {
	env.Access = min(env.Access, now.Access)
	env.Mode = max(env.Mode, now.Mode)
	env.Project = env.Project && now.Project
	var granted []string
	for _, s := range env.Services {
		if slices.Contains(now.Services, s) {
			granted = append(granted, s)
		}
	}
	env.Services = granted
	env.Deny = slices.Concat(env.Deny, now.Deny)
	return env
}
