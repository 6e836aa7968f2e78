// `./dev bench see`: reads the photographs in $TESSERA_DATA/photos and compares with their truth.
//
// Per source and in all: boards found (corners within 0.25 of a cell), grids reported that are not
// the board's, points right on found boards, boards with every point right, boards without a
// confident error (a wrong point that is not in the unsure list), points unsure, and ms of
// processor time per photograph.
//
//   -v, -w         one line per photograph; with the wrong points too
//   --auto         the board's size is not told
//   --hard [N]     each N-th photograph (default 4), made harder in each of many ways: per way
//   --only TEXT    photographs (with --hard also: ways) whose name holds TEXT
//   --draw DIR     writes what was read as DIR/NAME.png
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/see_hard.h"
#include "tests/bench/see_truth.h"
#include "tests/data_folder.h"

enum { NAME_ROOM = 1400 };

struct options {
    int verbose, every;
    bool automatic, hard;
    const char *only, *draw;
};

// One photograph of the set.
struct photo_file {
    char base[NAME_ROOM]; // path without ".jpg"
    const char *name;     // within it
};

static uint8_t *read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    *ret_size = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return bytes;
}

static void draw(const struct options *o, const char *name, const struct photo_result *result,
                 const uint8_t *bytes, size_t size)
{
    char path[NAME_ROOM + 100];
    uint8_t *png;
    size_t length;
    if (photo_annotate(result, bytes, size, &png, &length, NULL) != 0)
        return;
    snprintf(path, sizeof path, "%s/%s.png", o->draw, name);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(png, 1, length, file);
        fclose(file);
    }
    free(png);
}

static void read_one(const struct options *o, const char *name, const struct see_truth *truth,
                     const uint8_t *bytes, size_t size, struct see_tally *t)
{
    static struct photo_result result;
    struct photo_settings settings = photo_settings_default();
    struct error err = {0};
    settings.size = o->automatic ? 0 : truth->size;
    const double start = see_now_ms();
    const int r = photo_read(&settings, bytes, size, &result, &err);
    if (t->photos < SEE_PHOTOS_MAX)
        t->ms[t->photos++] = see_now_ms() - start;
    if (r != 0) {
        printf("  %-24s %s\n", name, err.text);
        return;
    }
    see_compare(name, truth, &result, o->hard, o->verbose, t);
    if (o->draw)
        draw(o, name, &result, bytes, size);
}

static void plain_photo(const struct options *o, const struct photo_file *photo,
                        struct see_tally *t)
{
    char path[NAME_ROOM + 8];
    struct see_truth truth;
    size_t size = 0;
    snprintf(path, sizeof path, "%s.jpg", photo->base);
    uint8_t *bytes = see_truth_read(photo->base, &truth) ? read_file(path, &size) : NULL;
    if (bytes)
        read_one(o, photo->name, &truth, bytes, size, t);
    free(bytes);
}

static void hard_photo(const struct options *o, const struct photo_file *photo, int kind,
                       struct see_tally *t)
{
    char path[NAME_ROOM + 8], name[NAME_ROOM + 32];
    struct see_truth truth;
    size_t size = 0, hard_size = 0;
    snprintf(path, sizeof path, "%s.jpg", photo->base);
    snprintf(name, sizeof name, "%s-%s", photo->name, see_hard_name(kind));
    uint8_t *bytes = see_truth_read(photo->base, &truth) ? read_file(path, &size) : NULL;
    uint8_t *hard =
        bytes ? see_hard_make(kind, bytes, size, (uint32_t)size, &truth, &hard_size) : NULL;
    if (hard)
        read_one(o, name, &truth, hard, hard_size, t);
    free(bytes);
    free(hard);
}

// --- the set -------------------------------------------------------------------------------------

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_jpeg(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".jpg") == 0;
}

static int is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Calls `each` for every photograph of a source; returns how many there were.
static int each_photo(const struct options *o, const char *root, const char *source, int kind,
                      struct see_tally *t)
{
    char folder[1100];
    struct dirent **file;
    snprintf(folder, sizeof folder, "%s/%.200s", root, source);
    const int files = scandir(folder, &file, is_jpeg, by_name);
    for (int f = 0; f < files; f++) {
        struct photo_file photo;
        snprintf(photo.base, sizeof photo.base, "%s/%.*s", folder,
                 (int)(strlen(file[f]->d_name) - 4), file[f]->d_name);
        photo.name = photo.base + strlen(folder) + 1;
        const bool wanted = !o->only || strstr(photo.name, o->only) ||
                            (kind >= 0 && strstr(see_hard_name(kind), o->only));
        if (wanted && kind < 0)
            plain_photo(o, &photo, t);
        else if (wanted && f % o->every == kind % o->every)
            hard_photo(o, &photo, kind, t);
        free(file[f]);
    }
    if (files >= 0)
        free(file);
    return files;
}

static void plain_set(const struct options *o, const char *root, struct dirent **source,
                      int sources)
{
    static struct see_tally all, tally;
    for (int s = 0; s < sources; s++) {
        memset(&tally, 0, sizeof tally);
        each_photo(o, root, source[s]->d_name, -1, &tally);
        see_print(source[s]->d_name, &tally, false);
        see_add(&all, &tally);
    }
    see_print("all", &all, false);
}

static void hard_set(const struct options *o, const char *root, struct dirent **source, int sources)
{
    static struct see_tally all, tally;
    for (int kind = 0; kind < see_hard_kinds(); kind++) {
        memset(&tally, 0, sizeof tally);
        for (int s = 0; s < sources; s++)
            each_photo(o, root, source[s]->d_name, kind, &tally);
        see_print(see_hard_name(kind), &tally, true);
        see_add(&all, &tally);
    }
    see_print("all", &all, true);
}

static struct options parse(int argc, char **argv)
{
    struct options o = {.every = 4};
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-v") == 0)
            o.verbose = 1;
        else if (strcmp(argv[k], "-w") == 0)
            o.verbose = 2;
        else if (strcmp(argv[k], "--auto") == 0)
            o.automatic = true;
        else if (strcmp(argv[k], "--hard") == 0)
            o.hard = true;
        else if (o.hard && atoi(argv[k]) > 0)
            o.every = atoi(argv[k]);
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            o.only = argv[++k];
        else if (strcmp(argv[k], "--draw") == 0 && k + 1 < argc)
            o.draw = argv[++k];
    }
    return o;
}

int main(int argc, char **argv)
{
    const char *data = data_folder();
    const struct options o = parse(argc, argv);
    char root[800];
    if (!data) {
        printf("# skipped: the photographs are found through TESSERA_DATA, which is not set\n");
        return 0;
    }
    snprintf(root, sizeof root, "%s/photos", data);
    struct dirent **source;
    const int sources = scandir(root, &source, is_folder, by_name);
    (o.hard ? hard_set : plain_set)(&o, root, source, sources);
    for (int s = 0; s < sources; s++)
        free(source[s]);
    if (sources >= 0)
        free(source);
    return 0;
}
