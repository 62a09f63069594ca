#include <stdio.h>
#include <string.h>

#include "scr/kvtree.h"

enum { INDENT = 2 };

static void print_level(const struct sion_kvtree *tree, int indent, FILE *to)
{
    const struct sion_kvtree *child;

    for (child = tree->first; child; child = child->next) {
        fprintf(to, "%*s%s\n", indent, "", child->key);
        print_level(child, indent + INDENT, to);
    }
}

void sion_kvtree_print(const sion_kvtree *tree, FILE *to)
{
    print_level(tree, INDENT, to);
}

/* ---- JSON ---- */

/* Bytes of the UTF-8 character that begins here; 0: none does. */
static int utf8_length(const unsigned char *at)
{
    int length = at[0] < 0x80                    ? 1
                 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                 : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                 : 0;
    int i;

    for (i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Longer than needed, surrogates, behind the last character. */
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90))
        return 0;
    return length;
}

static void print_string(const char *text, FILE *to)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', to);
    while (*at) {
        int length = utf8_length(at);

        if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if (*at < 0x20 || length == 0)
            fprintf(to, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)length, to);
        at += length > 0 ? length : 1;
    }
    fputc('"', to);
}

/* A key with one leaf below it, and nothing else, is a key with a value. */
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
        print_string(child->key, to);
        fputs(": ", to);
        if (is_value(child))
            print_string(child->first->key, to);
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
