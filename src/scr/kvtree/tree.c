/* Trees in memory. A level of many keys has an index by key. */
#include "scr/kvtree/kvtree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

/* Up to this many children are searched one by one. */
enum { FEW = 12 };

struct scion_kvtree_slot {
    struct sion_kvtree *child;
    UT_hash_handle hh;
};

static struct sion_kvtree *new_node(const char *key, size_t length)
{
    struct sion_kvtree *node = malloc(sizeof *node + length + 1);

    if (!node) {
        scion_fail_memory("tree of keys");
        return NULL;
    }
    *node = (struct sion_kvtree){0};
    memcpy(node->key, key, length);
    node->key[length] = '\0';
    return node;
}

sion_kvtree *scion_kvtree_new(void)
{
    return new_node("", 0);
}

static void free_index(struct sion_kvtree *tree)
{
    struct scion_kvtree_slot *slot, *next;

    HASH_ITER(hh, tree->index, slot, next)
    {
        HASH_DEL(tree->index, slot);
        free(slot);
    }
}

/* Without recursion: an application may have built a tree of any depth. */
void sion_kvtree_free(sion_kvtree *tree)
{
    struct sion_kvtree *todo = tree;

    if (todo)
        todo->next = NULL;
    while (todo) {
        struct sion_kvtree *node = todo;

        todo = node->next;
        if (node->first) {
            node->last->next = todo;
            todo = node->first;
        }
        free_index(node);
        free(node);
    }
}

static int add_to_index(struct sion_kvtree *tree, struct sion_kvtree *child)
{
    struct scion_kvtree_slot *slot = malloc(sizeof *slot);

    if (!slot)
        return scion_fail_memory("tree of keys");
    slot->child = child;
    HASH_ADD_KEYPTR(hh, tree->index, child->key, strlen(child->key), slot);
    if (!SCION_TABLE_HAS(slot)) {
        free(slot);
        return scion_fail_memory("tree of keys");
    }
    return 0;
}

static int make_index(struct sion_kvtree *tree)
{
    struct sion_kvtree *child;

    for (child = tree->first; child; child = child->next) {
        if (add_to_index(tree, child) != 0) {
            free_index(tree);
            return SION_ERR_MEMORY;
        }
    }
    return 0;
}

sion_kvtree *sion_kvtree_get(const sion_kvtree *tree, const char *key)
{
    struct scion_kvtree_slot *slot;
    struct sion_kvtree *child;

    if (!tree)
        return NULL;
    if (tree->index) {
        HASH_FIND_STR(tree->index, key, slot);
        return slot ? slot->child : NULL;
    }
    for (child = tree->first; child && strcmp(child->key, key) != 0; child = child->next)
        ;
    return child;
}

sion_kvtree *scion_kvtree_set(sion_kvtree *tree, const char *key)
{
    struct sion_kvtree *child = sion_kvtree_get(tree, key);

    if (child || !tree)
        return child;
    child = new_node(key, strlen(key));
    if (!child || (tree->count == FEW && !tree->index && make_index(tree) != 0) ||
        (tree->index && add_to_index(tree, child) != 0)) {
        free(child);
        return NULL;
    }
    if (tree->last)
        tree->last->next = child;
    else
        tree->first = child;
    tree->last = child;
    tree->count++;
    return child;
}

struct sion_kvtree *scion_kvtree_setf(struct sion_kvtree *tree, const char *format, ...)
{
    char key[64];
    va_list args;

    va_start(args, format);
    vsnprintf(key, sizeof key, format, args);
    va_end(args);
    return scion_kvtree_set(tree, key);
}

static void remove_all(struct sion_kvtree *tree)
{
    free_index(tree);
    while (tree->first) {
        struct sion_kvtree *child = tree->first;

        tree->first = child->next;
        sion_kvtree_free(child);
    }
    tree->last = NULL;
    tree->count = 0;
}

int sion_kvtree_remove(sion_kvtree *tree, const char *key)
{
    struct sion_kvtree *child = sion_kvtree_get(tree, key), *before = NULL, *at;
    struct scion_kvtree_slot *slot;

    if (!child)
        return 0;
    if (tree->index) {
        HASH_FIND_STR(tree->index, key, slot);
        HASH_DEL(tree->index, slot);
        free(slot);
    }
    for (at = tree->first; at != child; at = at->next)
        before = at;
    if (before)
        before->next = child->next;
    else
        tree->first = child->next;
    if (tree->last == child)
        tree->last = before;
    tree->count--;
    sion_kvtree_free(child);
    return 1;
}

sion_kvtree *scion_kvtree_put(sion_kvtree *tree, const char *key, const char *value)
{
    struct sion_kvtree *child = scion_kvtree_set(tree, key);

    if (!child)
        return NULL;
    remove_all(child);
    return scion_kvtree_set(child, value) ? child : NULL;
}

sion_kvtree *scion_kvtree_put_int(sion_kvtree *tree, const char *key, long long value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", value);
    return scion_kvtree_put(tree, key, text);
}

sion_kvtree *scion_kvtree_put_crc(sion_kvtree *tree, const char *key, unsigned int crc)
{
    char text[32];

    snprintf(text, sizeof text, "%#x", crc);
    return scion_kvtree_put(tree, key, text);
}

const char *sion_kvtree_value(const sion_kvtree *tree, const char *key)
{
    const struct sion_kvtree *child = key ? sion_kvtree_get(tree, key) : tree;

    return child && child->last ? child->last->key : NULL;
}

int scion_kvtree_int(const sion_kvtree *tree, const char *key, long long *value)
{
    const char *text = sion_kvtree_value(tree, key);
    long long number;
    char *end;

    if (!text)
        return scion_fail(SION_ERR_DAMAGED, "%s is missing", key);
    errno = 0;
    number = strtoll(text, &end, 0);
    if (end == text || *end || errno != 0)
        return scion_fail(SION_ERR_DAMAGED, "%s is '%.40s', which is not a number", key, text);
    *value = number;
    return 0;
}

int scion_kvtree_merge(sion_kvtree *tree, const sion_kvtree *from)
{
    const struct sion_kvtree *child;

    for (child = from->first; child; child = child->next) {
        struct sion_kvtree *own = scion_kvtree_set(tree, child->key);

        if (!own || scion_kvtree_merge(own, child) != 0)
            return SION_ERR_MEMORY;
    }
    return 0;
}

const sion_kvtree *sion_kvtree_first(const sion_kvtree *tree)
{
    return tree ? tree->first : NULL;
}

const sion_kvtree *sion_kvtree_next(const sion_kvtree *child)
{
    return child->next;
}

const char *sion_kvtree_key(const sion_kvtree *child)
{
    return child->key;
}

unsigned int sion_kvtree_count(const sion_kvtree *tree)
{
    return tree ? tree->count : 0;
}
