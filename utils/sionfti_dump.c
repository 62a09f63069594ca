#include "sionfti.h"

#include <string.h>

#include "text.h"
#include "tool.h"

struct dump {
    int json;
    int count; /* printed so far */
};

/* ---- the form of FTI's own description ---- */

static void print_var(const struct scion_fti_image *image, const struct scion_fti_var *var,
                      int number)
{
    char hash[SCION_FTI_HEX];

    scion_fti_hex(var->hash, hash);
    printf(" Var-id: %d\n id: %d\n", number, var->id);
    if (scion_fti_layout(image->era)->has_idx)
        printf(" idx: %d\n", var->idx);
    printf(" containerid: %d\n hascontent: %s\n dptr: %lld\n fptr: %lld\n chunksize: %lld\n"
           " containersize: %lld\n [hash: %s]\n\n",
           var->containerid, var->hascontent ? "true" : "false", var->dptr, var->fptr,
           var->chunksize, var->containersize, hash);
}

static void print_block(const struct scion_fti_image *image, int number)
{
    const struct scion_fti_block *block = &image->blocks[number];
    int i;

    printf(" DataBase-id: %d\n numvars: %d\n dbsize: %lld\n [size metadata: %lld]\n\n", number,
           block->numvars, block->dbsize, scion_fti_block_records(image->era, block->numvars));
    for (i = 0; i < block->numvars; i++)
        print_var(image, &image->vars[block->first + i], i);
}

static void print_form(const struct scion_fti_image *image)
{
    int b;

    printf("------------------- DATASTRUCTURE BEGIN -------------------\n\n");
    for (b = 0; b < image->nblocks; b++)
        print_block(image, b);
    printf("\n------------------- DATASTRUCTURE END ---------------------\n");
}

static void print_encoded(const struct scion_fti_encoded *encoded)
{
    printf("------------------- DATASTRUCTURE BEGIN -------------------\n\n"
           " [Reed-Solomon bytes: %lld, not decoded]\n [checksum: %s]\n [rank file: %lld bytes]\n\n"
           "\n------------------- DATASTRUCTURE END ---------------------\n",
           encoded->bytes, encoded->fb.checksum, encoded->fb.ckptsize);
}

/* ---- JSON ---- */

static void json_fb(enum scion_fti_era era, const struct scion_fti_fb *fb)
{
    printf("\"fileblock\": {\"checksum\": \"%s\", ", fb->checksum);
    if (scion_fti_layout(era)->has_id)
        printf("\"ckptId\": %lld, \"metaSize\": %lld, \"dataSize\": %lld, ", fb->ckptid,
               fb->metasize, fb->datasize);
    printf("\"ckptSize\": %lld, \"fs\": %lld, \"maxFs\": %lld, \"ptFs\": %lld, "
           "\"timestamp\": %lld}",
           fb->ckptsize, fb->fs, fb->maxfs, fb->ptfs, fb->timestamp);
}

static void json_var(const struct scion_fti_image *image, const struct scion_fti_var *var)
{
    char hash[SCION_FTI_HEX];

    scion_fti_hex(var->hash, hash);
    printf("        {\"id\": %d, ", var->id);
    if (scion_fti_layout(image->era)->has_idx)
        printf("\"idx\": %d, ", var->idx);
    printf("\"containerid\": %d, \"hascontent\": %s, \"dptr\": %lld, \"fptr\": %lld, "
           "\"chunksize\": %lld, \"containersize\": %lld, \"hash\": \"%s\"}",
           var->containerid, var->hascontent ? "true" : "false", var->dptr, var->fptr,
           var->chunksize, var->containersize, hash);
}

static void json_block(const struct scion_fti_image *image, int number)
{
    const struct scion_fti_block *block = &image->blocks[number];
    int i;

    printf("%s\n      {\"dbsize\": %lld, \"metadata\": %lld, \"containers\": [\n",
           number > 0 ? "," : "", block->dbsize,
           scion_fti_block_records(image->era, block->numvars));
    for (i = 0; i < block->numvars; i++) {
        json_var(image, &image->vars[block->first + i]);
        printf("%s", i + 1 < block->numvars ? ",\n" : "]}");
    }
}

static void json_begin(const struct fti_item *item, const char *kind, const char *release)
{
    printf("    {\"file\": ");
    text_json(stdout, item->label);
    printf(", \"kind\": \"%s\", \"release\": \"%s\",\n     ", kind, release);
}

static void json_image(const struct fti_item *item, const struct scion_fti_image *image)
{
    int b;

    json_begin(item, "checkpoint", scion_fti_layout(image->era)->releases);
    json_fb(image->era, &image->fb);
    printf(",\n     \"blocks\": [");
    for (b = 0; b < image->nblocks; b++)
        json_block(image, b);
    printf("]}");
}

static void json_encoded(const struct fti_item *item, const struct scion_fti_encoded *encoded)
{
    json_begin(item, "reed-solomon", fti_encoded_release(encoded));
    json_fb(encoded->era, &encoded->fb);
    printf(", \"bytes\": %lld}", encoded->bytes);
}

/* ---- files ---- */

/* Forms are separated by an empty line, objects by a comma. */
static void separate(struct dump *dump)
{
    if (dump->json)
        printf("%s", dump->count > 0 ? ",\n" : "\n");
    else if (dump->count > 0)
        printf("\n");
    dump->count++;
}

static int dump_encoded(struct dump *dump, const struct fti_item *item)
{
    struct scion_fti_encoded encoded;

    if (scion_fti_read_encoded(item->source, &encoded) != 0)
        return fti_failed(item->label);
    separate(dump);
    if (dump->json)
        json_encoded(item, &encoded);
    else
        print_encoded(&encoded);
    return TOOL_DONE;
}

static int dump_item(void *data, const struct fti_item *item)
{
    struct scion_fti_image image;

    if (item->name.kind == SCION_FTI_ENCODED)
        return dump_encoded(data, item);
    if (fti_read_item(item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    separate(data);
    if (((struct dump *)data)->json)
        json_image(item, &image);
    else
        print_form(&image);
    scion_fti_image_clear(&image);
    return TOOL_DONE;
}

int fti_dump(const struct fti_settings *settings, int n, char **operands)
{
    struct dump dump = {.json = settings->json};
    struct fti_files files;
    int status = fti_find_files(n, operands, -1, &files);

    if (status != TOOL_RUN)
        return status;
    if (dump.json)
        printf("{\"format\": \"sionfti-dump\", \"version\": 1, \"files\": [");
    status = fti_visit(&files, dump_item, &dump);
    if (dump.json)
        printf("]}\n");
    fti_free_files(&files);
    return status;
}
