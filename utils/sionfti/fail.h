/* Messages about failures. */
#ifndef UTILS_SIONFTI_FAIL_H
#define UTILS_SIONFTI_FAIL_H

/* Print the error record on stderr, with the label in front unless the text contains it;
   TOOL_FAILED. */
int fti_failed(const char *label);

int fti_out_of_memory(void); /* said; TOOL_FAILED */

#endif
