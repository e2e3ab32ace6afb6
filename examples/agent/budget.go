package main

import (
	"fmt"

	"github.com/arcseat/arc"
)

// A budget is how large a seat's conversation may grow before it begins anew with a
// checkpoint. The zero value is none.
type budget struct {
	most   int  // tokens, of a request and its answer; 0: as many as the model takes
	first  int  // tokens of the conversation's first request and its answer
	warned bool // the model, that a checkpoint comes
	spent  bool // a checkpoint is due
}

// begin is the beginning of a conversation.
func (b *budget) begin() { *b = budget{most: b.most} }

// grow takes the size of the conversation before results go to the model. The first that
// are past the limit bring a warning, so that the model saves what it needs, and a
// checkpoint is due after those that follow. One that would free less than a quarter of
// the budget is put off: what stands at the beginning, the tools and the memory, it
// cannot free.
func (b *budget) grow(size int, results []*arc.Result) {
	if b.first == 0 {
		b.first = size
	}
	if b.most == 0 || size < b.most || size-b.first < b.most/4 {
		return
	}
	if b.spent = b.warned; b.spent {
		return
	}
	b.warned = true
	last := results[len(results)-1]
	last.Notices = append(last.Notices, fmt.Sprintf("context_full: %d tokens of %d; after the next calls file text will be dropped, so save_notes what you need", size, b.most))
}
