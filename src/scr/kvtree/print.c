/* Trees as text for people, and as JSON. */
#include <stdio.h>

#include "base/escape.h"
#include "base/json.h"
#include "scr/kvtree/kvtree.h"

enum { INDENT = 2 };

static void print_level(const struct sion_kvtree *tree, int indent, FILE *to)
{
    const struct sion_kvtree *child;

    for (child = tree->first; child; child = child->next) {
        fprintf(to, "%*s", indent, "");
        scion_print_escaped(to, child->key);
        fputc('\n', to);
        print_level(child, indent + INDENT, to);
    }
}

void sion_kvtree_print(const sion_kvtree *tree, FILE *to)
{
    print_level(tree, INDENT, to);
}

/* ---- JSON ---- */

/* A key with only one leaf below it is printed as a key with a value. */
static int is_value(const struct sion_kvtree *tree)
{
    return tree->count == 1 && tree->first->count == 0;
}

static void print_object(const struct sion_kvtree *tree, int indent, FILE *to)
{
    const struct sion_kvtree *child;

    if (tree->count == 0) {
        fputs("{}", to);
        return;
    }
    fputs("{\n", to);
    for (child = tree->first; child; child = child->next) {
        fprintf(to, "%*s", indent + INDENT, "");
        scion_json_string(to, child->key);
        fputs(": ", to);
        if (is_value(child))
            scion_json_string(to, child->first->key);
        else
            print_object(child, indent + INDENT, to);
        fputs(child->next ? ",\n" : "\n", to);
    }
    fprintf(to, "%*s}", indent, "");
}

void sion_kvtree_print_json(const sion_kvtree *tree, FILE *to)
{
    print_object(tree, 0, to);
    fputc('\n', to);
}
