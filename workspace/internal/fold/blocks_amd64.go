package fold

import "golang.org/x/sys/cpu"

// wide: 32 places can be looked at at once, which is faster than jumping from
// anchor to anchor however rare they are.
var wide = cpu.X86.HasAVX2

// pairBlocks looks at blocks of 32 places from lead on, and returns the first that
// has places where both bytes of a pair are what is wanted, and which these are, a
// bit for each; blocks and 0 if there is none. The bytes gap behind the last block
// are read too. Want is the lead and its letter bit, then the trail and its own.
//
//go:noescape
func pairBlocks(lead *byte, gap, blocks int, want *[4]byte) (block int, hits uint32)
