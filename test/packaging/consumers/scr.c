#include <sion_scr.h>
int main(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    sion_scr_comm *self = sion_scr_comm_self();
    int bad = !self || !sion_kvtree_put(tree, "KEY", "VALUE") ||
              sion_scr_map_read(self, "missing", 0) || sion_error_code() == SION_ERR_NONE;

    sion_kvtree_free(tree);
    sion_scr_comm_free(self);
    return bad;
}
