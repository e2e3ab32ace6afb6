// Package flock locks a file among processes. A lock belongs to the open file: it
// is gone when that is closed, or when its process ends, however that ends.
package flock
