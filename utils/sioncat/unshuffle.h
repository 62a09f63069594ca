/* sioncat --unshuffle: what zstd -d makes of a stored stream gets the order that it had. */
#ifndef UTILS_SIONCAT_UNSHUFFLE_H
#define UTILS_SIONCAT_UNSHUFFLE_H

/*
 * From standard input to standard output. how: the name of the stored stream, whose frames it has;
 * or BYTES or BYTES:FRAME, of elements and of all frames but the last one. TOOL_DONE, TOOL_FAILED,
 * or TOOL_USAGE.
 */
int sioncat_unshuffle(const char *how);

#endif
