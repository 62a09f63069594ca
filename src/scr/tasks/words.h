/*
 * Growing lists of 64-bit numbers, which is what communicators carry, and such lists from all tasks
 * to rank 0 and back. Making them never fails.
 */
#ifndef SCION_SCR_WORDS_H
#define SCION_SCR_WORDS_H

#include <stddef.h>

#include "comm/comm.h"

struct scion_words {
    sion_int64 *words;
    sion_int64 count, capacity;
};

void scion_words_append(struct scion_words *list, sion_int64 word);

void scion_words_append_all(struct scion_words *list, const sion_int64 *words, sion_int64 count);

/* A text, as its length and its bytes. */
void scion_words_append_text(struct scion_words *list, const char *text);

/* Read the text at words into text[size], cut if it is too long; returns the word after it. */
const sion_int64 *scion_words_text(const sion_int64 *words, char *text, size_t size);

/* Collective: send rank 0's list to all others, whose own must be empty. Two collectives. */
int scion_words_bcast(struct scion_comm *comm, struct scion_words *list);

/* On rank 0: the lists of all tasks, one after the other. */
struct scion_post {
    struct scion_words list;
    int *counts; /* [size] */
};

void scion_post_free(struct scion_post *post);

/*
 * Collective: gather words[count] of every task on rank 0, which frees post. status: 0, or a
 * failure of this task, with its reason in the error record: then all tasks return the failure of
 * the first one, and nothing is gathered. Three collectives.
 */
int scion_post_gather(struct scion_comm *comm, int status, const sion_int64 *words,
                      sion_int64 count, struct scion_post *post);

/* What a task receives from rank 0. */
struct scion_word_inbox {
    sion_int64 *words; /* freed by the caller */
    sion_int64 count;
    sion_int64 flag; /* rank 0's, the same for all */
};

/*
 * Collective: send every task its list from rank 0's post. status: a failure of rank 0, which all
 * tasks then return, without words; status and flag count on rank 0 only. Two collectives.
 */
int scion_post_scatter(struct scion_comm *comm, int status, const struct scion_post *post,
                       sion_int64 flag, struct scion_word_inbox *received);

#endif
