/* Each function of sion_kvtree.h and sion_scr.h that fails prints one line; what is no failure
   prints none. */
#include "check.h"

#include "scr_check.h"

static int messages;
static char last[1024];

static void note(int level, int rank, int rc, const char *text, void *user)
{
    (void)level, (void)rank, (void)rc, (void)user;
    messages++;
    snprintf(last, sizeof last, "%s", text);
}

/* result: 1 if the call has succeeded; function: which is named in the message. */
static void check_failure(int result, int code, const char *function)
{
    CHECK_INT(result, 0);
    CHECK_INT(sion_error_code(), code);
    CHECK_INT(messages, 1);
    CHECK_CONTAINS(last, function);
    messages = 0;
}

#define FAILS(function, arguments, code) check_failure(!!function arguments, code, #function ": ")

static void trees_report_once(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    long long number;
    size_t used;

    messages = 0;
    sion_kvtree_put(tree, "TEXT", "none");
    FAILS(sion_kvtree_int, (tree, "TEXT", &number), SION_ERR_DAMAGED);
    FAILS(sion_kvtree_int, (tree, "NUMBER", &number), SION_ERR_DAMAGED);
    FAILS(sion_kvtree_decode, ("no record", 9, &used), SION_ERR_NOT_SION);
    FAILS(sion_kvtree_read, ("missing"), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_read_at, ("missing", 4, NULL), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_write, (tree, "missing/tree"), SION_ERR_SYSTEM);
    FAILS(sion_kvtree_write_at, (tree, "tree", -1, NULL), SION_ERR_ARGUMENT);
    sion_kvtree_free(tree);
}

static void a_key_that_is_not_there_is_no_failure(void)
{
    sion_kvtree *tree = sion_kvtree_new();

    messages = 0;
    CHECK(!sion_kvtree_get(tree, "KEY"));
    CHECK(!sion_kvtree_value(tree, "KEY"));
    CHECK(!sion_kvtree_put(NULL, "KEY", "VALUE"));
    CHECK_INT(sion_kvtree_remove(tree, "KEY"), SION_NOT_SUCCESS);
    CHECK_INT(messages, 0);
    sion_kvtree_free(tree);
}

int main(void)
{
    support_enter_folder();
    sion_error_set_handler(note, NULL);
    RUN(trees_report_once);
    RUN(a_key_that_is_not_there_is_no_failure);
    support_leave_folder();
    return check_done();
}
