// `./dev bench see`: reads the photographs in $TESSERA_DATA/photos and compares with their truth.
//
// Per source and in all: boards found (corners within 0.25 of a cell), points right on found
// boards, boards with every point right, boards without a confident error (a wrong point that is
// not in the unsure list), points unsure, and ms per photograph. With -v: one line per photograph;
// with -w: the wrong points too.
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vision/photo.h"

struct tally {
    int photos, found, points, right, perfect, honest, unsure, errors_confident;
    double ms[2048];
};

struct truth {
    int size;
    char row[BOARD_LINES_MAX][BOARD_LINES_MAX + 2];
    double corner[4][2];
};

static int verbose;

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

static bool read_truth(const char *base, struct truth *ret)
{
    char path[1500];
    memset(ret, 0, sizeof *ret);
    snprintf(path, sizeof path, "%s.txt", base);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    char line[64];
    while (ret->size < BOARD_LINES_MAX && fgets(line, sizeof line, file) && line[0] >= '.') {
        line[strcspn(line, "\r\n")] = 0;
        snprintf(ret->row[ret->size++], sizeof ret->row[0], "%.19s", line);
    }
    fclose(file);
    snprintf(path, sizeof path, "%s.corners", base);
    file = fopen(path, "r");
    if (!file)
        return false;
    int read = 0;
    for (int k = 0; k < 4; k++)
        read += fscanf(file, "%lf %lf", &ret->corner[k][0], &ret->corner[k][1]);
    fclose(file);
    return read == 8;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// Largest distance of a corner from the truth, in cells.
static double corner_error(const struct truth *truth, const struct photo_result *result)
{
    double area = 0, worst = 0;
    for (int k = 0; k < 4; k++) {
        const double *a = truth->corner[k], *b = truth->corner[(k + 1) % 4];
        area += (a[0] * b[1] - a[1] * b[0]) / 2;
        worst = fmax(worst, hypot(result->corner[k][0] - a[0], result->corner[k][1] - a[1]));
    }
    return worst / (sqrt(fabs(area)) / (truth->size - 1));
}

static void compare(const char *name, const struct truth *truth, const struct photo_result *result,
                    struct tally *t)
{
    int points = 0, wrong = 0, confident = 0;
    for (int r = 0; r < truth->size; r++)
        for (int c = 0; c < truth->size; c++) {
            const char is = truth->row[r][c], read = result->row[r][c];
            if (is == '?') {
                // Hidden: may be anything, but must not be asserted.
                confident += read != '.' && !result->unsure[r][c];
                continue;
            }
            points++;
            if (is == read)
                continue;
            wrong++;
            confident += !result->unsure[r][c];
            if (verbose > 1)
                printf("    row %d column %d: is %c, read %c (%.3f)%s\n", r + 1, c + 1, is, read,
                       (double)result->confidence[r][c], result->unsure[r][c] ? "" : " CONFIDENT");
        }
    t->points += points;
    t->right += points - wrong;
    t->perfect += wrong == 0;
    t->honest += confident == 0;
    t->errors_confident += confident;
    t->unsure += result->unsure_count;
    if (verbose)
        printf("  %-24s wrong %d, confident %d, unsure %d\n", name, wrong, confident,
               result->unsure_count);
}

static void one_photo(const char *folder, const char *file, struct tally *t)
{
    char base[1400], path[1500];
    snprintf(base, sizeof base, "%s/%.*s", folder, (int)(strlen(file) - 4), file);
    snprintf(path, sizeof path, "%s.jpg", base);
    struct truth truth;
    size_t size = 0;
    uint8_t *bytes = read_truth(base, &truth) ? read_file(path, &size) : NULL;
    if (!bytes)
        return;
    static struct photo_result result;
    struct photo_settings settings = photo_settings_default();
    struct error err = {0};
    settings.size = getenv("SEE_AUTO") ? 0 : truth.size;
    const double start = now_ms();
    const int r = photo_read(&settings, bytes, size, &result, &err);
    if (t->photos < 2048)
        t->ms[t->photos++] = now_ms() - start;
    free(bytes);
    if (r != 0 || !result.found) {
        if (verbose)
            printf("  %-24s %s\n", file, r ? err.text : result.why);
        return;
    }
    const double error = result.size == truth.size ? corner_error(&truth, &result) : INFINITY;
    if (error > 0.25) {
        if (verbose)
            printf("  %-24s grid WRONG: a corner is %.2f cells off\n", file, error);
        return;
    }
    t->found++;
    compare(file, &truth, &result, t);
}

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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_tally(const char *source, struct tally *t)
{
    if (t->photos == 0)
        return;
    qsort(t->ms, (size_t)t->photos, sizeof t->ms[0], by_value);
    const double found = t->found ? t->found : 1;
    printf("see_%s_boards_found\t%d\t0\tof %d (%.1f%%)\n", source, t->found, t->photos,
           100.0 * t->found / t->photos);
    printf("see_%s_points_right\t%.3f\t0\t%% of %d\n", source,
           100.0 * t->right / (t->points ? t->points : 1), t->points);
    printf("see_%s_boards_perfect\t%.1f\t0\t%% of found\n", source, 100 * t->perfect / found);
    printf("see_%s_no_confident_error\t%.1f\t0\t%% of found\n", source, 100 * t->honest / found);
    printf("see_%s_unsure\t%.2f\t0\tpoints a board\n", source, t->unsure / found);
    printf("see_%s_photo\t%.0f\t%.0f\tms\n", source, t->ms[t->photos / 2],
           t->ms[t->photos * 9 / 10] - t->ms[t->photos / 10]);
}

static void add(struct tally *sum, const struct tally *t)
{
    for (int k = 0; k < t->photos && sum->photos < 2048; k++)
        sum->ms[sum->photos++] = t->ms[k];
    sum->found += t->found;
    sum->points += t->points;
    sum->right += t->right;
    sum->perfect += t->perfect;
    sum->honest += t->honest;
    sum->unsure += t->unsure;
}

int main(int argc, char **argv)
{
    const char *data = getenv("TESSERA_DATA");
    char root[800];
    for (int k = 1; k < argc; k++)
        verbose = strcmp(argv[k], "-w") == 0 ? 2 : strcmp(argv[k], "-v") == 0 ? 1 : verbose;
    if (!data) {
        printf("# skipped: the photographs are found through TESSERA_DATA, which is not set\n");
        return 0;
    }
    snprintf(root, sizeof root, "%s/photos", data);
    struct dirent **source;
    const int sources = scandir(root, &source, is_folder, by_name);
    static struct tally all;
    for (int s = 0; s < sources; s++) {
        static struct tally tally;
        char folder[1100];
        struct dirent **file;
        memset(&tally, 0, sizeof tally);
        snprintf(folder, sizeof folder, "%s/%.200s", root, source[s]->d_name);
        const int files = scandir(folder, &file, is_jpeg, by_name);
        for (int f = 0; f < files; f++) {
            one_photo(folder, file[f]->d_name, &tally);
            free(file[f]);
        }
        if (files >= 0)
            free(file);
        print_tally(source[s]->d_name, &tally);
        add(&all, &tally);
        free(source[s]);
    }
    if (sources >= 0)
        free(source);
    print_tally("all", &all);
    return 0;
}
