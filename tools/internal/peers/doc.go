// Package peers measures how package tools checks arguments beside other checkers of
// JSON Schema. It is a module of its own, so that they stay out of a host's module
// graph; make peers runs it.
package peers
