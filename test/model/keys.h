/* Reads key-value records of the model's container in all possible ways. */
#ifndef TEST_MODEL_KEYS_H
#define TEST_MODEL_KEYS_H

#include "read.h"

/* Records of one task in the container, or only those with one key. */
struct model_records {
    const struct model_record *record[MODEL_ROUNDS];
    int n;
};

static inline void model_list_records(const struct model_task *task, const uint64_t *only,
                                      struct model_records *records)
{
    int r;

    records->n = 0;
    for (r = 0; r < MODEL_ROUNDS; r++) {
        if (task->records[r].accepted && (!only || task->records[r].key == *only))
            records->record[records->n++] = &task->records[r];
    }
}

static inline void model_expect_value(const struct model_task *task,
                                      const struct model_record *record, size_t pos,
                                      const unsigned char *data, size_t bytes)
{
    EXPECT_INT(check_compare(data, task->rank, (long)(record->first + pos), bytes), -1);
}

/* Read from a byte of a record, at most to the end of the record. */
static inline void model_read_value(struct model_reader *reader, const struct model_record *record,
                                    size_t pos)
{
    size_t wanted = 1 + model_pick(reader, (sion_int64)record->bytes + 20);
    size_t left = record->bytes - pos;
    unsigned char *data = malloc(wanted);
    size_t done = sion_fread_key(data, record->key, 1, wanted, reader->sid);

    if (EXPECT_INT(done, left < wanted ? left : wanted))
        model_expect_value(model_at(reader)->task, record, pos, data, done);
    free(data);
}

/* Iterate over all records in the order of writing, and sometimes read the value. */
static inline void model_iterate(struct model_reader *reader, const struct model_records *records)
{
    uint64_t key = 5;
    size_t bytes = 5;
    int i;

    EXPECT_INT(sion_fread_key_iterator_reset(reader->sid), 1);
    for (i = 0; i < records->n; i++) {
        EXPECT_INT(sion_fread_key_iterator_next(reader->sid, &key, &bytes), 1);
        EXPECT_TRUE(key == records->record[i]->key);
        EXPECT_INT(bytes, records->record[i]->bytes);
        if (bytes > 0 && model_pick(reader, 2))
            model_read_value(reader, records->record[i], 0);
    }
    EXPECT_INT(sion_fread_key_iterator_next(reader->sid, &key, &bytes), 0);
}

/* Seek to a byte of any record, by the number of the record among those of its key. */
static inline void model_seek_record(struct model_reader *reader,
                                     const struct model_records *records)
{
    int i = (int)model_pick(reader, records->n), number = 0, other;
    const struct model_record *record = records->record[i];
    size_t pos, before = 0;

    if (record->bytes == 0)
        return;
    for (other = 0; other < i; other++) {
        int same = records->record[other]->key == record->key;

        number += same;
        before += same ? records->record[other]->bytes : 0;
    }
    pos = model_pick(reader, (sion_int64)record->bytes);
    if (model_pick(reader, 2))
        EXPECT_INT(sion_seek_key(reader->sid, record->key, number, (sion_int64)pos), 1);
    else
        EXPECT_INT(
            sion_seek_key(reader->sid, record->key, SION_ABSOLUTE_POS, (sion_int64)(before + pos)),
            1);
    model_read_value(reader, record, pos);
}

/* List the keys in the order of their first records, with the statistics of each. */
static inline void model_list_keys(struct model_reader *reader, const struct model_records *records)
{
    uint64_t key;
    int i, other;

    EXPECT_INT(sion_key_full_scan(reader->sid), 1);
    sion_key_list_iterator_reset(reader->sid);
    for (i = 0; i < records->n; i++) {
        sion_key_stat_t real = {0}, expected = {records->record[i]->key, 0, 0};
        int is_first = 1;

        for (other = 0; other < records->n; other++) {
            if (records->record[other]->key != expected.key)
                continue;
            is_first = is_first && other >= i;
            expected.num_blocks++;
            expected.total_size += (sion_int64)records->record[other]->bytes;
        }
        if (!is_first)
            continue;
        EXPECT_INT(sion_key_list_iterator_next(reader->sid, &key), 1);
        EXPECT_TRUE(key == expected.key);
        EXPECT_INT(sion_key_get_stat(reader->sid, key, &real), 1);
        EXPECT_INT(real.num_blocks, expected.num_blocks);
        EXPECT_INT(real.total_size, expected.total_size);
    }
    EXPECT_INT(sion_key_list_iterator_next(reader->sid, &key), 0);
}

static inline void model_read_records(struct model_reader *reader, const uint64_t *only)
{
    struct model_records records;
    int i;

    model_list_records(model_at(reader)->task, only, &records);
    for (i = 0; i < 8; i++) {
        switch (model_pick(reader, 6)) {
        case 0:
            model_iterate(reader, &records);
            break;
        case 1:
            model_list_keys(reader, &records);
            break;
        default:
            if (records.n > 0)
                model_seek_record(reader, &records);
        }
    }
    model_iterate(reader, &records);
}

/* Read a duplicate that shows a single key, which may have no record. */
static inline void model_read_one_key(struct model_reader *reader)
{
    const struct model_task *task = model_at(reader)->task;
    uint64_t key = task->records[model_pick(reader, MODEL_ROUNDS)].key + !model_pick(reader, 5);
    struct model_reader copy = *reader;

    copy.sid = sion_dup(reader->sid, SION_DUP_RANK_KEY, model_duplicated_rank(reader), key);
    if (!EXPECT_TRUE(copy.sid >= 0))
        return;
    model_read_records(&copy, &key);
    EXPECT_INT(sion_dedup(copy.sid), 1);
}

static inline void model_read_keys(struct model_reader *reader)
{
    struct model_reader copy;
    int i;

    for (i = 0; i < reader->n; i++) {
        const struct model_task *task = reader->cursor[i].task;

        reader->present = i;
        EXPECT_INT(
            sion_seek(reader->sid, model_number(reader, task), SION_CURRENT_BLK, SION_CURRENT_POS),
            1);
        model_read_records(reader, NULL);
        model_read_one_key(reader);
        if (model_duplicate(reader, &copy)) {
            model_read_records(&copy, NULL);
            EXPECT_INT(sion_dedup(copy.sid), 1);
        }
    }
}

#endif
