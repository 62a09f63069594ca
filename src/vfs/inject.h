/*
 * SION_FAULT: system calls that fail on demand, so that users can see what their program does when
 * a disk is full.
 */
#ifndef SCION_VFS_INJECT_H
#define SCION_VFS_INJECT_H

/*
 * The first call arms the fault that SION_FAULT requests (see sion(7)); a warning says so, or that
 * the value is not valid. Does nothing if it is not set, or names another rank than the one that
 * the launcher has given this process.
 */
void scion_inject(void);

#endif
