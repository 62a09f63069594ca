/* What failed, on stderr. */
#ifndef UTILS_SIONFTI_FAIL_H
#define UTILS_SIONFTI_FAIL_H

/* The error record on stderr, with the label before it unless it names that; TOOL_FAILED. */
int fti_failed(const char *label);

int fti_out_of_memory(void); /* said; TOOL_FAILED */

#endif
