//go:build !amd64

package fold

const wide = false

// pairBlocks is never called here.
func pairBlocks(lead *byte, gap, blocks int, want *[4]byte) (block int, hits uint32) {
	return blocks, 0
}
