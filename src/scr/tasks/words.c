#include "scr/tasks/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "comm/agree.h"

static void make_room(struct scion_words *list, sion_int64 count)
{
    sion_int64 *words;

    if (list->count + count <= list->capacity)
        return;
    list->capacity += list->capacity / 2 + count + 256;
    words = scion_must_allocate((size_t)list->capacity, sizeof *words);
    if (list->count > 0)
        memcpy(words, list->words, (size_t)list->count * sizeof *words);
    free(list->words);
    list->words = words;
}

void scion_words_append(struct scion_words *list, sion_int64 word)
{
    make_room(list, 1);
    list->words[list->count++] = word;
}

void scion_words_append_all(struct scion_words *list, const sion_int64 *words, sion_int64 count)
{
    make_room(list, count);
    if (count > 0)
        memcpy(list->words + list->count, words, (size_t)count * sizeof *words);
    list->count += count;
}

static sion_int64 words_for(size_t length)
{
    return (sion_int64)(length + 7) / 8;
}

void scion_words_append_text(struct scion_words *list, const char *text)
{
    size_t length = strlen(text);

    scion_words_append(list, (sion_int64)length);
    make_room(list, words_for(length));
    memcpy(list->words + list->count, text, length);
    list->count += words_for(length);
}

const sion_int64 *scion_words_text(const sion_int64 *words, char *text, size_t size)
{
    size_t length = (size_t)words[0], taken = length < size ? length : size - 1;

    memcpy(text, words + 1, taken);
    text[taken] = '\0';
    return words + 1 + words_for(length);
}

int scion_words_bcast(struct scion_comm *comm, struct scion_words *list)
{
    sion_int64 count = list->count;
    int rc = scion_bcast(comm, &count, sizeof count, 0);

    if (rc != 0 || count == 0)
        return rc;
    if (comm->rank != 0) {
        make_room(list, count);
        list->count = count;
    }
    return scion_bcast(comm, list->words, (size_t)count * sizeof *list->words, 0);
}

void scion_post_free(struct scion_post *post)
{
    free(post->list.words);
    free(post->counts);
    *post = (struct scion_post){0};
}

/* Where each task's words begin; -1: more of them than a collective can carry. */
static int place(const int *counts, int size, int *first)
{
    sion_int64 total = 0;
    int t;

    for (t = 0; t < size; t++) {
        first[t] = (int)total;
        total += counts[t];
        if (total > INT32_MAX)
            return -1;
    }
    return 0;
}

struct offer {
    sion_int64 status, count;
};

/* On rank 0: the first failing task, or room for the words of all. */
static void judge(const struct offer *offers, int size, struct scion_post *post, int *first,
                  struct offer *verdict)
{
    int t;

    post->counts = scion_must_allocate((size_t)size, sizeof *post->counts);
    for (t = 0; t < size; t++) {
        if (offers[t].status != 0) {
            *verdict = (struct offer){offers[t].status, t};
            return;
        }
        post->counts[t] = (int)offers[t].count;
        post->list.count += offers[t].count;
    }
    if (place(post->counts, size, first) != 0) {
        verdict->status =
            scion_fail(SION_ERR_ARGUMENT, "too many numbers for rank 0: %lld", post->list.count);
        return;
    }
    post->list.words = scion_must_allocate((size_t)post->list.count + 1, sizeof(sion_int64));
    post->list.capacity = post->list.count + 1;
}

/* Even an empty list has an address. */
static sion_int64 no_words;

int scion_post_gather(struct scion_comm *comm, int status, const sion_int64 *words,
                      sion_int64 count, struct scion_post *post)
{
    struct offer mine = {status, count}, verdict = {0, 0}, *offers = NULL;
    int *first = NULL, rc;

    *post = (struct scion_post){0};
    if (status == 0 && count > INT32_MAX)
        mine.status = scion_fail(SION_ERR_ARGUMENT, "too many numbers: %lld", count);
    if (comm->rank == 0) {
        offers = scion_must_allocate((size_t)comm->size, sizeof *offers);
        first = scion_must_allocate((size_t)comm->size, sizeof *first);
    }
    rc = scion_gather(comm, &mine, offers, sizeof mine, 0);
    if (rc == 0 && comm->rank == 0)
        judge(offers, comm->size, post, first, &verdict);
    if (rc == 0)
        rc = scion_bcast(comm, &verdict, sizeof verdict, 0);
    if (rc == 0 && verdict.status != 0)
        rc = scion_agree_on(comm, (int)verdict.status, (int)verdict.count);
    if (rc == 0)
        rc = scion_gatherv(comm, words ? words : &no_words, (int)count, post->list.words,
                           post->counts, first, 0);
    free(offers);
    free(first);
    return rc;
}

struct notice {
    sion_int64 status, count, flag;
};

int scion_post_scatter(struct scion_comm *comm, int status, const struct scion_post *post,
                       sion_int64 flag, struct scion_word_inbox *received)
{
    struct notice mine, *notices = NULL;
    int *first = NULL, rc, t;

    if (comm->rank == 0) {
        notices = scion_must_allocate((size_t)comm->size, sizeof *notices);
        first = scion_must_allocate((size_t)comm->size, sizeof *first);
        if (status == 0 && place(post->counts, comm->size, first) != 0)
            status = scion_fail(SION_ERR_ARGUMENT, "too many numbers for rank 0: %lld",
                                post->list.count);
        for (t = 0; t < comm->size; t++)
            notices[t] = (struct notice){status, status == 0 ? post->counts[t] : 0, flag};
    }
    *received = (struct scion_word_inbox){0};
    rc = scion_scatter(comm, notices, &mine, sizeof mine, 0);
    if (rc == 0 && mine.status != 0)
        rc = scion_agree_on(comm, (int)mine.status, 0);
    if (rc == 0) {
        received->words = scion_must_allocate((size_t)mine.count + 1, sizeof(sion_int64));
        received->count = mine.count;
        received->flag = mine.flag;
        rc = scion_scatterv(comm, post->list.words ? post->list.words : &no_words, post->counts,
                            first, received->words, (int)mine.count, 0);
    }
    free(notices);
    free(first);
    return rc;
}
