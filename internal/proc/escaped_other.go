//go:build !linux

package proc

func strangers(int, func(int) bool) []int { return nil }

func (m Mark) carriedBy(int) bool { return false }

func (e *escaped) send(int, bool) {}

func (e *escaped) dying() []int { return nil }

func (e *escaped) close() {}

func (p *Pipe) name() string { return "" }

func holds(int, string) bool { return false }
