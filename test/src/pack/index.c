/* The index: finds each path, reads little, and believes nothing that is wrong. */
#include "pack.h"

#include "pack/index_bytes.h"
#include "pack/write.h"

static struct memory file;
static struct scion_pack_list list;
static struct scion_index *index_;
static struct scion_index_cursor cursor;

static void add(const char *path, int type, int task, const char *target)
{
    char at[256], to[256];
    struct scion_pack_entry entry = {.path = strcpy(at, path),
                                     .target = target ? strcpy(to, target) : NULL,
                                     .type = type,
                                     .task = task,
                                     .mode = 0644,
                                     .mtime = 1700000000,
                                     .mtime_ns = 5,
                                     .size = type == SCION_PACK_FILE ? 100 : 0};

    CHECK_INT(scion_pack_list_add(&list, &entry), 0);
}

/* n files in each of n folders, of 3 tasks; and an empty folder. */
static void make_list(int n)
{
    char path[64];
    int i, j;

    scion_pack_list_free(&list);
    for (i = 0; i < n; i++) {
        snprintf(path, sizeof path, "case/processor%d", i);
        add(path, SCION_PACK_FOLDER, i % 3, NULL);
        for (j = 0; j < n; j++) {
            snprintf(path, sizeof path, "case/processor%d/file%d", i, j);
            add(path, SCION_PACK_FILE, i % 3, NULL);
        }
    }
    add("case/processor.link", SCION_PACK_LINK, 0, "processor0");
    add("empty", SCION_PACK_FOLDER, 2, NULL);
    scion_pack_list_sort(&list);
    CHECK_INT(scion_pack_lay_out(&list, 3), 0);
}

static void write_index(size_t offset)
{
    const struct scion_pack_target target = {.write = memory_write, .context = &file};
    sion_int64 end;

    free(file.bytes);
    file = (struct memory){0};
    memory_write(&file, "", 0, (sion_int64)offset);
    CHECK_INT(scion_pack_write_index(&list, (sion_int64)offset, &target, &end), 0);
    CHECK_INT(file.size, end);
}

static struct scion_index_key key_of_list(void)
{
    struct scion_index_key key = {0};
    int t;

    for (t = 0; t < list.ntasks; t++)
        scion_index_key_add(&key, list.used[t]);
    return key;
}

static int open_index(void)
{
    const struct scion_pack_source source = memory_source(&file);
    const struct scion_index_key key = key_of_list();

    file.read = 0;
    return scion_index_open(&source, (sion_int64)file.size, &key, &index_);
}

static void close_index(void)
{
    scion_index_cursor_end(&cursor);
    scion_index_close(index_);
    index_ = NULL;
}

static int is_same(const struct scion_pack_entry *a, const struct scion_pack_entry *b)
{
    return strcmp(a->path, b->path) == 0 && (a->target != NULL) == (b->target != NULL) &&
           (!a->target || strcmp(a->target, b->target) == 0) && a->type == b->type &&
           a->task == b->task && a->mode == b->mode && a->uid == b->uid && a->gid == b->gid &&
           a->mtime == b->mtime && a->mtime_ns == b->mtime_ns && a->size == b->size &&
           a->data == b->data;
}

static void all_entries_come_in_their_order(void)
{
    const struct scion_pack_entry *entry;
    size_t i;

    make_list(60);
    write_index(1000);
    CHECK_INT(open_index(), 0);
    CHECK_INT(scion_index_count(index_), list.count);
    scion_index_cursor_begin(index_, &cursor);
    for (i = 0; i < list.count; i++) {
        CHECK_INT(scion_index_next(&cursor, &entry), 0);
        CHECK(entry && is_same(entry, &list.entries[i]));
    }
    CHECK_INT(scion_index_next(&cursor, &entry), 0);
    CHECK(!entry);
    close_index();
}

static const char *next_path(void)
{
    const struct scion_pack_entry *entry;

    CHECK_INT(scion_index_next(&cursor, &entry), 0);
    return entry ? entry->path : "";
}

static void each_path_is_found(void)
{
    const struct scion_pack_entry *entry;
    size_t i;

    make_list(60);
    write_index(0);
    CHECK_INT(open_index(), 0);
    scion_index_cursor_begin(index_, &cursor);
    for (i = 0; i < list.count; i++) {
        size_t n = i * 37 % list.count;

        CHECK_INT(scion_index_seek(&cursor, list.entries[n].path), 0);
        CHECK_INT(scion_index_next(&cursor, &entry), 0);
        CHECK(entry && is_same(entry, &list.entries[n]));
    }
    CHECK_INT(scion_index_seek(&cursor, ""), 0);
    CHECK_STR(next_path(), list.entries[0].path);
    CHECK_INT(scion_index_seek(&cursor, "case/processor5/file"), 0);
    CHECK_STR(next_path(), "case/processor5/file0");
    CHECK_INT(scion_index_seek(&cursor, "zzz"), 0);
    CHECK_STR(next_path(), "");
    close_index();
}

static void what_is_below_a_folder_is_skipped(void)
{
    make_list(60);
    write_index(0);
    CHECK_INT(open_index(), 0);
    scion_index_cursor_begin(index_, &cursor);
    CHECK_INT(scion_index_skip(&cursor, "case/processor1"), 0);
    CHECK_STR(next_path(), "case/processor10");
    CHECK_INT(scion_index_skip(&cursor, "case/processor9"), 0);
    CHECK_STR(next_path(), "empty");
    CHECK_INT(scion_index_skip(&cursor, "case"), 0);
    CHECK_STR(next_path(), "empty");
    CHECK_INT(scion_index_skip(&cursor, "empty"), 0);
    CHECK_STR(next_path(), "");
    close_index();
}

static void entries_are_found_by_their_numbers(void)
{
    const struct scion_pack_entry *entry;
    size_t i;

    make_list(60);
    write_index(0);
    CHECK_INT(open_index(), 0);
    scion_index_cursor_begin(index_, &cursor);
    for (i = 0; i < list.count; i++) {
        size_t n = i * 37 % list.count;

        CHECK_INT(scion_index_go(&cursor, (sion_int64)n), 0);
        CHECK_INT(scion_index_number(&cursor), n);
        CHECK_STR(next_path(), list.entries[n].path);
        scion_index_unread(&cursor);
        CHECK_INT(scion_index_number(&cursor), n);
        CHECK_STR(next_path(), list.entries[n].path);
        CHECK_INT(scion_index_seek(&cursor, list.entries[n].path), 0);
        CHECK_INT(scion_index_number(&cursor), n);
    }
    CHECK_INT(scion_index_go(&cursor, (sion_int64)list.count), 0);
    CHECK_INT(scion_index_number(&cursor), list.count);
    CHECK_INT(scion_index_next(&cursor, &entry), 0);
    CHECK(!entry);
    close_index();
}

static void entries_of_one_path_are_all_found(void)
{
    int task;

    scion_pack_list_free(&list);
    for (task = 0; task < 1000; task++) {
        add("same/path", SCION_PACK_FILE, task, NULL);
        add("same/other", SCION_PACK_FILE, task, NULL);
    }
    scion_pack_list_sort(&list);
    CHECK_INT(scion_pack_lay_out(&list, 1000), 0);
    write_index(0);
    CHECK_INT(open_index(), 0);
    scion_index_cursor_begin(index_, &cursor);
    CHECK_INT(scion_index_seek(&cursor, "same/path"), 0);
    for (task = 0; task < 1000; task++) {
        CHECK_STR(next_path(), "same/path");
        CHECK_INT(cursor.entries[cursor.at - 1].task, task);
    }
    CHECK_STR(next_path(), "");
    close_index();
}

static void a_look_up_reads_two_small_parts(void)
{
    make_list(1000); /* a million files */
    write_index(0);
    CHECK_INT(open_index(), 0);
    CHECK(file.read < 200000); /* the list of blocks */
    scion_index_cursor_begin(index_, &cursor);
    CHECK_INT(scion_index_seek(&cursor, "case/processor77/file99"), 0);
    CHECK_STR(next_path(), "case/processor77/file99");
    CHECK(file.read < 200000 + 2 * SCION_INDEX_BLOCK);
    CHECK(file.size > 1000000u * SCION_INDEX_ENTRY);
    close_index();
}

static void no_index_is_no_error(void)
{
    make_list(2);
    write_index(0);
    file.bytes[file.size - SCION_INDEX_TRAILER] ^= 1;
    CHECK_INT(open_index(), 0);
    CHECK(!index_);
    file.size = SCION_INDEX_TRAILER - 1;
    CHECK_INT(open_index(), 0);
    CHECK(!index_);
    file.size = 0;
    CHECK_INT(open_index(), 0);
    CHECK(!index_);
}

static void an_index_without_files_is_one(void)
{
    scion_pack_list_free(&list);
    CHECK_INT(scion_pack_lay_out(&list, 2), 0);
    write_index(10);
    CHECK_INT(open_index(), 0);
    CHECK(index_ && scion_index_count(index_) == 0);
    scion_index_cursor_begin(index_, &cursor);
    CHECK_STR(next_path(), "");
    CHECK_INT(scion_index_seek(&cursor, "x"), 0);
    CHECK_STR(next_path(), "");
    close_index();
}

static void an_index_of_other_streams_is_refused(void)
{
    make_list(2);
    write_index(0);
    list.used[0] += 512;
    list.used[1] -= 512;
    CHECK_INT(open_index(), SION_ERR_DAMAGED);
    CHECK_CONTAINS(scion_error_text(), "that of other streams");
    CHECK(!index_);
}

/* Reads all; the number of entries, or a negative error code. */
static int read_all(void)
{
    const struct scion_pack_entry *entry;
    int rc = open_index(), n = 0;

    if (rc != 0 || !index_)
        return rc != 0 ? rc : -1000;
    scion_index_cursor_begin(index_, &cursor);
    do {
        rc = scion_index_next(&cursor, &entry);
        n += rc == 0 && entry;
    } while (rc == 0 && entry);
    close_index();
    return rc == 0 ? n : rc;
}

static void each_changed_byte_is_noticed(void)
{
    size_t i;

    make_list(4);
    write_index(0);
    CHECK_INT(read_all(), list.count);
    for (i = 0; i < file.size; i++) {
        int is_magic =
            i >= file.size - SCION_INDEX_TRAILER && i < file.size - SCION_INDEX_TRAILER + 8;

        file.bytes[i] ^= 0x20;
        CHECK_INT(read_all(), is_magic ? -1000 : SION_ERR_DAMAGED);
        file.bytes[i] ^= 0x20;
    }
    for (i = 1; i < file.size; i++) { /* not from the beginning on */
        struct memory all = file;

        file.bytes += i;
        file.size -= i;
        CHECK(read_all() < 0);
        file = all;
    }
}

static void paths_that_no_tree_has_are_refused(void)
{
    static const char *const paths[] = {"a/../b", "/a", "a//b", "./a", "a/", ".."};
    size_t i;

    for (i = 0; i < sizeof paths / sizeof *paths; i++) {
        scion_pack_list_free(&list);
        add("fine", SCION_PACK_FILE, 0, NULL);
        add(paths[i], SCION_PACK_FILE, 0, NULL);
        scion_pack_list_sort(&list);
        CHECK_INT(scion_pack_lay_out(&list, 1), 0);
        write_index(0);
        CHECK_INT(read_all(), SION_ERR_DAMAGED);
    }
}

/* Tasks and links that cannot be, with CRCs that are right. */
static void entries_that_cannot_be_are_refused(void)
{
    int wrong;

    for (wrong = 0; wrong < 6; wrong++) {
        struct scion_pack_entry *last;

        make_list(2);
        last = &list.entries[list.count - 1];
        if (wrong == 0)
            last->task = 3;
        if (wrong == 1)
            last->size = -1;
        if (wrong == 2)
            last->data = INT64_MAX;
        if (wrong == 3)
            last->mtime_ns = 1000000000;
        if (wrong == 4)
            last->type = 'x';
        if (wrong == 5)
            last->type = SCION_PACK_LINK; /* without a target */
        if (wrong == 2)
            last->size = 1;
        write_index(0);
        CHECK_INT(read_all(), SION_ERR_DAMAGED);
    }
}

int main(void)
{
    RUN(all_entries_come_in_their_order);
    RUN(each_path_is_found);
    RUN(what_is_below_a_folder_is_skipped);
    RUN(entries_are_found_by_their_numbers);
    RUN(entries_of_one_path_are_all_found);
    RUN(a_look_up_reads_two_small_parts);
    RUN(no_index_is_no_error);
    RUN(an_index_without_files_is_one);
    RUN(an_index_of_other_streams_is_refused);
    RUN(each_changed_byte_is_noticed);
    RUN(paths_that_no_tree_has_are_refused);
    RUN(entries_that_cannot_be_are_refused);
    scion_pack_list_free(&list);
    free(file.bytes);
    return check_done();
}
