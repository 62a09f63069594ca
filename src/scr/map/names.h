/* The meaning of names in a map. */
#ifndef SCION_SCR_NAMES_H
#define SCION_SCR_NAMES_H

struct scion_names {
    const char *base;  /* the folder that names are relative to */
    const char *below; /* the map's folder, relative to base, to which names of segments are
                          relative; "" or NULL: to the base, as all other names */
    int allow_outside; /* names may lead out of the base */
};

/*
 * The file that a segment's FILE means, relative to the base, into path[SCION_PATH]. If the map's
 * folder is set, names begin there, as for SCR 1.2; a name without ".." that does not exist there
 * is relative to the base, as in maps of older releases of Scion.
 */
int scion_segment_name(const struct scion_names *names, const char *file, char *path);

#endif
