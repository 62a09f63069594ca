/* Trees of keys without memory: a call fails, the program goes on, and the next call succeeds. */
#include "sion_kvtree.h"

#include "lack.h"
#include "support.h"

/* Many children have a table, which grows with their number. */
static void a_key_that_cannot_be_added_is_added_later(void)
{
    sion_kvtree *tree = sion_kvtree_new(), *child;
    int i, failed = 0, count = 0;
    char key[20];
    long n;

    for (i = 0; i < 1000; i++) {
        sion_kvtree *added = NULL;

        snprintf(key, sizeof key, "%d", i);
        for (n = 1; !added && n < 50; n++) {
            lack_in = n;
            added = sion_kvtree_set(tree, key);
            lack_in = 0;
            CHECK(added || sion_error_code() == SION_ERR_MEMORY);
            failed += !added;
        }
        CHECK(added && sion_kvtree_get(tree, key) == added);
    }
    CHECK(failed > 2000);
    for (i = 0; i < 1000; i += 2) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_INT(sion_kvtree_remove(tree, key), 1);
        CHECK(!sion_kvtree_get(tree, key));
    }
    for (child = (sion_kvtree *)sion_kvtree_first(tree); child;
         child = (sion_kvtree *)sion_kvtree_next(child))
        count++;
    CHECK_INT(count, 500);
    sion_kvtree_free(tree);
}

int main(void)
{
    RUN(a_key_that_cannot_be_added_is_added_later);
    return check_done();
}
