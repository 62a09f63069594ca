/* What the names in a map mean. */
#ifndef SCION_SCR_NAMES_H
#define SCION_SCR_NAMES_H

struct scion_names {
    const char *base;  /* the folder that names are relative to */
    const char *below; /* the map's folder, relative to base: where the names of segments begin; ""
                          or NULL: at the base, as all others */
    int allow_outside; /* names may lead out of the base */
};

/*
 * What a segment's FILE means, relative to the base, into path[SCION_PATH]. Where the map's folder
 * counts SCR 1.2 looks below it; a name without ".." that is not there means the base, as it did in
 * maps of older releases of ours.
 */
int scion_segment_name(const struct scion_names *names, const char *file, char *path);

#endif
