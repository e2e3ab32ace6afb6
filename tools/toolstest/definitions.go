package toolstest

import (
	"fmt"
	"runtime"

	"github.com/arcseat/arc"
)

// envs are unlike each other in everything that a definition could look at.
var envs = []arc.Env{
	{},
	{Access: arc.FullAccess, Project: true, Services: []string{"a", "b"}, Model: arc.Model{Vision: true}},
	{Mode: arc.Planning, Project: true, Deny: []string{"workspace_edit"}},
	{Access: arc.FullAccess, Desktop: arc.Desktop{OS: "linux", Width: 1280, Height: 800}, Model: arc.Model{Vision: true, Actions: 5, Native: []string{"computer"}}},
	{Access: arc.FullAccess, Desktop: arc.Desktop{OS: "darwin", Width: 3024, Height: 1964}, Model: arc.Model{Vision: true, Grid: true, MaxEdge: 1568, MaxPixels: 1 << 20}},
	{Project: true, Model: arc.Model{Compact: true}},
}

func (s *suite) described() []error {
	var faults []error
	for _, d := range s.definitions() {
		if d.Description == "" {
			faults = append(faults, fmt.Errorf("%s has no description", d.Name))
		}
		faults = append(faults, undescribed(d)...)
	}
	return faults
}

func (s *suite) constant() []error {
	var faults []error
	for _, t := range s.tools {
		first := t.Definition(envs[0])
		for _, env := range envs[1:] {
			d := t.Definition(env)
			words := d
			words.Description, words.Schema = first.Description, nil
			same := first
			same.Schema = nil
			if words.Name != same.Name || words.Listing != same.Listing || words.Needs != same.Needs || words.Effects != same.Effects || words.Native != same.Native {
				faults = append(faults, fmt.Errorf("%s becomes %+v with env %+v", first.Name, words, env))
			}
			if again := t.Definition(env); again.Description != d.Description || string(again.Schema) != string(d.Schema) {
				faults = append(faults, fmt.Errorf("%s says something else when it is asked again with env %+v", first.Name, env))
			}
		}
	}
	return faults
}

func (s *suite) memoised() []error {
	var faults []error
	for _, t := range s.tools {
		for _, env := range envs {
			t.Definition(env)
			if n := allocations(func() { t.Definition(env) }); n > 0 {
				faults = append(faults, fmt.Errorf("%s allocates %d times", t.Definition(env).Name, n))
				break
			}
		}
	}
	return faults
}

// allocations is how often f allocates. Others may run beside it and allocate
// too, so the quietest of several rounds counts. (testing.AllocsPerRun may not be
// used beside parallel tests.)
func allocations(f func()) uint64 {
	const rounds, runs = 50, 200
	least := ^uint64(0)
	var before, after runtime.MemStats
	for range rounds {
		runtime.ReadMemStats(&before)
		for range runs {
			f()
		}
		runtime.ReadMemStats(&after)
		if least = min(least, (after.Mallocs-before.Mallocs)/runs); least == 0 {
			break
		}
	}
	return least
}
