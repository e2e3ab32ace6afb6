//go:build !unix

package anchors

import "time"

var began = time.Now()

// processTime is the time that has passed.
func processTime() time.Duration { return time.Since(began) }
