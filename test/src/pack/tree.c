/* Trees as lists and streams: whose each file is, and what is refused. */
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "pack/tree.h"
#include "pack/write.h"
#include "vfs/fault.h"

static struct scion_pack_list list;
static struct memory streams[4];

static void make(const char *name, const char *text)
{
    scratch_write(scratch_path(name), text, strlen(text));
}

static void make_tree(void)
{
    mkdir(scratch_path("b"), 0755);
    mkdir(scratch_path("b/c"), 0700);
    make("a", "first");
    make("b/c/x", "text");
    make("b.d", "");
    CHECK_INT(link(scratch_path("a"), scratch_path("b/a2")), 0);
    CHECK_INT(symlink("../a", scratch_path("b/link")), 0);
}

static void remove_tree(void)
{
    static const char *const names[] = {"b/c/x", "b/a2", "b/link", "a", "b.d"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        unlink(scratch_path(names[i]));
    rmdir(scratch_path("b/c"));
    rmdir(scratch_path("b"));
    scion_pack_list_free(&list);
}

static const char *paths_of_list(void)
{
    static char text[1024];
    size_t i;

    text[0] = '\0';
    for (i = 0; i < list.count; i++) {
        const struct scion_pack_entry *entry = &list.entries[i];

        snprintf(text + strlen(text), sizeof text - strlen(text), "%c %s%s%s %d\n", entry->type,
                 entry->path, entry->target ? ">" : "", entry->target ? entry->target : "",
                 entry->task);
    }
    return text;
}

static void a_tree_is_listed_in_order(void)
{
    make_tree();
    CHECK_INT(scion_pack_walk(scratch_directory, NULL, NULL, &list), 0);
    CHECK_STR(paths_of_list(), "f a 0\nd b 0\nh b/a2>a 0\nd b/c 0\nf b/c/x 0\nl b/link>../a 0\n"
                               "f b.d 0\n");
    CHECK_INT(list.entries[0].size, 5);
    CHECK_INT(list.entries[3].mode, 0700);
    remove_tree();
}

/* Files whose name has an x or a 2 are task 1's, links nobody's. A second name is where the first
   one is. */
static int choose(void *context, const char *path, const struct stat *status, int *task)
{
    int *asked = context;

    ++*asked;
    *task = strpbrk(path, "x2") != NULL;
    return !S_ISLNK(status->st_mode) && strcmp(path, "b") != 0;
}

static int refuse_all(void *context, const char *path, const struct stat *status, int *task)
{
    (void)context, (void)status, (void)task;
    return scion_fail(SION_ERR_ARGUMENT, "not %s", path);
}

static void who_has_a_file_is_asked(void)
{
    int asked = 0;

    make_tree();
    CHECK_INT(scion_pack_walk(scratch_directory, choose, &asked, &list), 0);
    CHECK_STR(paths_of_list(), "f a 0\nh b/a2>a 0\nd b/c 0\nf b/c/x 1\nf b.d 0\n");
    CHECK_INT(asked, 7);
    scion_pack_list_free(&list);
    CHECK_INT(scion_pack_walk(scratch_directory, refuse_all, NULL, &list), SION_ERR_ARGUMENT);
    CHECK_STR(scion_error_text(), "not a");
    remove_tree();
}

static void some_paths_are_each_taken_once(void)
{
    char a[] = "a", c[] = "b/c", x[] = "b/c/x", a2[] = "b/a2", none[] = "b/none";
    char *paths[] = {x, a2, c, a, c}, *missing[] = {none};

    make_tree();
    CHECK_INT(scion_pack_walk_paths(scratch_directory, paths, 5, NULL, NULL, &list), 0);
    CHECK_STR(paths_of_list(), "f a 0\nh b/a2>a 0\nd b/c 0\nf b/c/x 0\n");
    scion_pack_list_free(&list);
    CHECK_INT(scion_pack_walk_paths(scratch_directory, missing, 1, NULL, NULL, &list),
              SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "/b/none: No such file");
    remove_tree();
}

static void a_socket_is_left_out_with_a_warning(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    char *warning;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", scratch_path("socket"));
    CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(scion_pack_walk(scratch_directory, NULL, NULL, &list), 0);
    CHECK_INT(list.count, 0);
    warning = scion_warning_take();
    CHECK(warning && strstr(warning, "socket is left out: it is a device or a socket"));
    free(warning);
    close(fd);
    unlink(scratch_path("socket"));
}

/* ---- streams ---- */

static int write_stream(void *context, int task, sion_int64 pos, const void *data, size_t bytes)
{
    (void)context;
    return memory_write(&streams[task], data, bytes, pos);
}

static const struct scion_pack_sink sink = {.write = write_stream};

static void free_streams(void)
{
    int t;

    for (t = 0; t < 4; t++) {
        free(streams[t].bytes);
        streams[t] = (struct memory){0};
    }
}

static int lay_out(int ntasks)
{
    int rc = scion_pack_walk(scratch_directory, NULL, NULL, &list);

    scion_pack_share(&list, ntasks);
    return rc == 0 ? scion_pack_lay_out(&list, ntasks) : rc;
}

static void streams_have_the_files_where_the_list_says(void)
{
    size_t i, found = 0;
    int t;

    make_tree();
    CHECK_INT(lay_out(3), 0);
    for (t = 0; t < 3; t++) {
        struct scion_pack_list in_stream = {0};

        CHECK_INT(scion_pack_write_task(scratch_directory, &list, t, &sink), 0);
        CHECK_INT(streams[t].size, list.used[t]);
        CHECK_INT(list_tar(&streams[t], &in_stream), 0);
        found += in_stream.count;
        scion_pack_list_free(&in_stream);
    }
    CHECK_INT(found, list.count);
    for (i = 0; i < list.count; i++) {
        const struct scion_pack_entry *entry = &list.entries[i];
        const char *text = entry->size == 5 ? "first" : "text";

        if (entry->size > 0)
            CHECK(memcmp(streams[entry->task].bytes + entry->data, text, strlen(text)) == 0);
    }
    CHECK(list.entries[0].task == 0 && list.entries[list.count - 1].task == 2);
    free_streams();
    remove_tree();
}

/* One folder after the other is held: its name can begin as the last one's, and be as long. */
static void files_are_read_from_their_own_folders(void)
{
    static const char *const names[] = {"c/d/x", "c/x", "d/x"};
    size_t i;

    mkdir(scratch_path("c"), 0755);
    mkdir(scratch_path("c/d"), 0755);
    mkdir(scratch_path("d"), 0755);
    for (i = 0; i < 3; i++)
        make(names[i], names[i]);
    CHECK_INT(lay_out(1), 0);
    CHECK_INT(scion_pack_write_task(scratch_directory, &list, 0, &sink), 0);
    for (i = 0; i < list.count; i++) {
        const struct scion_pack_entry *entry = &list.entries[i];

        CHECK(memcmp(streams[0].bytes + entry->data, entry->path, (size_t)entry->size) == 0);
    }
    free_streams();
    scion_pack_list_free(&list);
    for (i = 0; i < 3; i++)
        unlink(scratch_path(names[i]));
    rmdir(scratch_path("c/d"));
    rmdir(scratch_path("c"));
    rmdir(scratch_path("d"));
}

static void refuse_changed(const char *what)
{
    CHECK_INT(scion_pack_write_task(scratch_directory, &list, 0, &sink), SION_ERR_BUSY);
    CHECK_CONTAINS(scion_error_text(), "/a has changed since its folder was listed");
    if (check_failed_here)
        printf("# %s\n", what);
    free_streams();
    remove_tree();
}

static void a_file_that_has_changed_is_named(void)
{
    make_tree();
    CHECK_INT(lay_out(1), 0);
    make("a", "longer than before");
    refuse_changed("longer");
    make_tree();
    CHECK_INT(lay_out(1), 0);
    CHECK_INT(truncate(scratch_path("a"), 2), 0);
    refuse_changed("shorter");
    make_tree();
    CHECK_INT(lay_out(1), 0);
    list.entries[0].mtime_ns ^= 1;
    refuse_changed("another time");
    make_tree();
    CHECK_INT(lay_out(1), 0);
    unlink(scratch_path("a"));
    CHECK_INT(scion_pack_write_task(scratch_directory, &list, 0, &sink), SION_ERR_SYSTEM);
    CHECK_CONTAINS(scion_error_text(), "/a for reading: No such file");
    free_streams();
    remove_tree();
}

static void check_refused(const char *what, const char *text)
{
    CHECK(scion_pack_write_task(scratch_directory, &list, 0, &sink) < 0);
    CHECK_CONTAINS(scion_error_text(), text);
    if (check_failed_here)
        printf("# %s\n", what);
    free_streams();
    remove_tree();
}

/* Nobody waits for the other end of a pipe, nor reads what a link leads to. */
static void what_is_no_file_any_more_is_refused(void)
{
    make_tree();
    CHECK_INT(lay_out(1), 0);
    CHECK_INT(unlink(scratch_path("a")), 0);
    CHECK_INT(mkfifo(scratch_path("a"), 0600), 0);
    check_refused("a pipe", "/a");
    make_tree();
    CHECK_INT(lay_out(1), 0);
    CHECK_INT(unlink(scratch_path("a")), 0);
    CHECK_INT(symlink("b/a2", scratch_path("a")), 0);
    check_refused("a link to an equal file", "/a for reading: ");
    make_tree();
    CHECK_INT(lay_out(1), 0);
    CHECK_INT(unlink(scratch_path("b/c/x")), 0);
    CHECK_INT(rmdir(scratch_path("b/c")), 0);
    check_refused("no folder", "cannot read folder ");
}

/* Each system call fails once: an error, or a list that is complete. */
static void no_failure_of_the_system_is_missed(void)
{
    static const enum scion_fault_call calls[] = {SCION_FAULT_OPEN, SCION_FAULT_LSTAT,
                                                  SCION_FAULT_READDIR, SCION_FAULT_PREAD,
                                                  SCION_FAULT_FSTAT};
    size_t i;
    long n;

    make_tree();
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (n = 1; n < 100; n++) {
            int rc;

            scion_fault_arm(1u << calls[i], n, 1, EIO);
            rc = lay_out(1);
            if (rc == 0)
                rc = scion_pack_write_task(scratch_directory, &list, 0, &sink);
            scion_fault_disarm();
            CHECK(scion_fault_hits() == 0 || rc == SION_ERR_SYSTEM);
            CHECK(scion_fault_hits() > 0 || rc == 0);
            scion_pack_list_free(&list);
            free_streams();
            if (scion_fault_hits() == 0)
                break;
        }
        CHECK(n > 2 && n < 100);
    }
    remove_tree();
}

int main(void)
{
    scratch_begin();
    RUN(a_tree_is_listed_in_order);
    RUN(who_has_a_file_is_asked);
    RUN(some_paths_are_each_taken_once);
    RUN(a_socket_is_left_out_with_a_warning);
    RUN(streams_have_the_files_where_the_list_says);
    RUN(files_are_read_from_their_own_folders);
    RUN(a_file_that_has_changed_is_named);
    RUN(what_is_no_file_any_more_is_refused);
    RUN(no_failure_of_the_system_is_missed);
    scratch_end();
    return check_done();
}
