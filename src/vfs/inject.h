/*
 * SION_FAULT: system calls that fail on demand, so that users can see what their program does when
 * a disk is full.
 */
#ifndef SCION_VFS_INJECT_H
#define SCION_VFS_INJECT_H

/*
 * Arm the fault that SION_FAULT asks for (see sion(7)); a warning says what will happen, or that
 * the value is not valid. Nothing if it is not set, or if it is for another rank than the one that
 * the launcher has given this process.
 */
void scion_inject(void);

#endif
