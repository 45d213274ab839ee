/* SPDX-License-Identifier: MIT */
/*
 * What the kernel gives to its objects and a C library does not. Under the kernel profile an
 * x86_64 core returns through this function (-mfunction-return=thunk-extern).
 */
void __x86_return_thunk(void);

#if defined(__x86_64__)
__attribute__((naked)) void __x86_return_thunk(void)
{
	__asm__ volatile("ret");
}
#endif
