#include "textflag.h"

// The kernel calls it with the signal in DI, and restores every register afterwards.
TEXT ·onSignal(SB), NOSPLIT|NOFRAME, $0-0
	LEAQ ·counts(SB), AX
	LOCK
	INCL (AX)(DI*4)
	MOVL ·wakeFD(SB), DI
	LEAQ ·one(SB), SI
	MOVL $8, DX
	MOVL $1, AX // write
	SYSCALL
	RET

TEXT ·leave(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $15, AX // rt_sigreturn
	SYSCALL
	INT $3 // it does not return

TEXT ·entries(SB), NOSPLIT, $0-16
	LEAQ ·onSignal(SB), AX
	MOVQ AX, handler+0(FP)
	LEAQ ·leave(SB), AX
	MOVQ AX, restorer+8(FP)
	RET
