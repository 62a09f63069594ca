/* Warnings (scion_warn) that only one rank of a collective call has. */
#ifndef SCION_BASE_WARNING_H
#define SCION_BASE_WARNING_H

/* As scion_warn(), of a file that no other rank reads: this rank prints it, whoever prints those
   that all have. */
void scion_warn_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Discard all others. */
void scion_warnings_drop_common(void);

/* How many are remembered; discard those after the first n of them. */
int scion_warnings_count(void);
void scion_warnings_cut(int n);

#endif
