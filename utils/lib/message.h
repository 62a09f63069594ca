/* The output of a tool: errors, lines of a report; and its exit status. */
#ifndef UTILS_LIB_MESSAGE_H
#define UTILS_LIB_MESSAGE_H

#include <stdio.h>

/* Exit statuses; TOOL_RUN: no reason to exit yet. */
enum { TOOL_RUN = -1, TOOL_DONE = 0, TOOL_USAGE = 1, TOOL_FAILED = 2 };

enum {
    /* Width of the labels in reports. */
    TOOL_LABEL = 27
};

/* The name before all lines; until then it is that of the program. */
void tool_set_name(const char *name);

/*
 * 1: print no message and no help from now on, because another process prints the same; 0: print
 * again.
 */
void tool_mute(int muted);
int tool_is_muted(void);

/* From now on reports and warnings are not said, errors are. */
void tool_quieten(void);

/* One line on stderr, the tool's name before it; control characters in it are shown as text. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a line that does not report a failure. */
void tool_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the library has warned of since the last call. */
void tool_print_warnings(void);

/*
 * From now on the first error goes into text[size], which was empty, and later ones are dropped,
 * also of a process that prints no message; NULL: errors go to stderr again.
 */
void tool_keep_error(char *text, size_t size);

/* One line "tool: label value", the label padded to width; control characters likewise. */
void tool_line(FILE *to, int width, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Something that was asked for is left out, and the rest handed out: tool_finish() will fail. */
void tool_note_left_out(void);

/* Close stdout. If its data could not be written, this is a failure, which is reported unless there
   was one before. */
int tool_finish(int status);

#endif
