#include "textflag.h"

// func pairBlocks(lead *byte, gap int, blocks int, want *[4]byte) (block int, hits uint32)
//
// Y0 lead, Y1 its letter bit, Y2 trail, Y3 its letter bit, 32 times each.
TEXT ·pairBlocks(SB), NOSPLIT, $0-44
	MOVQ lead+0(FP), SI
	MOVQ gap+8(FP), DX
	MOVQ blocks+16(FP), CX
	MOVQ want+24(FP), BX
	VPBROADCASTB 0(BX), Y0
	VPBROADCASTB 1(BX), Y1
	VPBROADCASTB 2(BX), Y2
	VPBROADCASTB 3(BX), Y3
	ADDQ SI, DX
	XORQ AX, AX
	XORL DI, DI
loop:
	CMPQ AX, CX
	JGE  done
	VPOR (SI), Y1, Y4
	VPOR (DX), Y3, Y5
	VPCMPEQB Y4, Y0, Y4
	VPCMPEQB Y5, Y2, Y5
	VPAND Y4, Y5, Y4
	VPMOVMSKB Y4, DI
	TESTL DI, DI
	JNZ  done
	ADDQ $32, SI
	ADDQ $32, DX
	INCQ AX
	JMP  loop
done:
	VZEROUPPER
	MOVQ AX, block+32(FP)
	MOVL DI, hits+40(FP)
	RET
