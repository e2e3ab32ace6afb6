// Scorecard judges this repository: it runs the packages' own checks and prints what each
// says of itself beside what is wanted.
//
//	go run ./examples/scorecard              # everything that this machine can check, in about ten minutes
//	go run ./examples/scorecard -only kill   # one row, or several: kill,tamper
//	go run ./examples/scorecard -list        # what there is, and which tests are behind it
//
// A line has a name, a value, what is wanted of it, PASS, FAIL or SKIP, and what the
// value is of. PASS means that the value is as wanted and that the test which printed it
// has passed. SKIP says what this machine lacks: Xvfb, ripgrep, a folder of PDF files; or
// that the time is up: no row is begun after ten minutes, and -time gives more. The exit
// code is 1 if a line says FAIL, and 2 for wrong use.
//
// Nothing is measured here. A test that has something to say prints a line that begins
// with score:, such as
//
//	t.Logf("score: tokens %d ≤ 1704 of the first list of a seat's turn", n)
//
// and rows.go names the test. On a busy machine a row that compares times may fail for
// that alone: run it again before you believe it.
package main
