// The real webcam sequences in $TESSERA_DATA/photos: each photograph shows one stone more. Turned
// into a session with `tessera session import`, every move must come out in order and nothing else;
// a stone that was taken off must be reported as gone.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/data_folder.h"
#include "tests/system/program.h"

enum { LINES_MAX = 19, PHOTOS_MAX = 400, TEXT_MAX = 64 << 10 };

struct truth {
    int size;
    char row[LINES_MAX][LINES_MAX + 2]; // top row first
};

struct sequence {
    char prefix[256]; // "s13"
    int photos;
    char *photo[PHOTOS_MAX]; // names, in order
};

static char *folder; // of the sequences

static void read_truth(const char *photo, struct truth *ret)
{
    char path[1200], line[64];
    memset(ret, 0, sizeof *ret);
    (void)snprintf(path, sizeof path, "%s/%.*s.txt", folder, (int)(strlen(photo) - 4), photo);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (ret->size < LINES_MAX && fgets(line, sizeof line, f) && line[0] >= '.') {
        line[strcspn(line, "\r\n")] = 0;
        (void)snprintf(ret->row[ret->size++], sizeof ret->row[0], "%.19s", line);
    }
    (void)fclose(f);
}

static void name_point(const struct truth *t, int r, int c, char ret[8])
{
    (void)snprintf(ret, 8, "%c%d", 'A' + c + (c >= 8), t->size - r);
}

// What must come out, one decision a line. Returns who lays the first stone, 'B' or 'W'.
static char expect(const struct sequence *s, char *text, int *ret_size)
{
    struct truth before, now;
    char name[8], first = 0, *at = text;
    *at = 0;
    read_truth(s->photo[0], &before);
    *ret_size = before.size;
    for (int i = 1; i < s->photos; i++) {
        read_truth(s->photo[i], &now);
        for (int k = 0; k < now.size * now.size; k++) {
            char was = before.row[k / now.size][k % now.size];
            char is = now.row[k / now.size][k % now.size];
            if (was == is)
                continue;
            name_point(&now, k / now.size, k % now.size, name);
            if (was == '.' && !first)
                first = is;
            if (was == '.')
                at += sprintf(at, "{\"move\":\"%s\"}\n", name);
            else
                at += sprintf(at,
                              "{\"asks\":\"the %s stone on %s is gone\",\"gone\":[\"%s\"],"
                              "\"new\":[]}\n",
                              was == 'B' ? "black" : "white", name, name);
        }
        before = now;
    }
    return first;
}

static void check_sequence(const struct sequence *s)
{
    static char expected[TEXT_MAX];
    char scratch[] = "/tmp/tessera-photos-XXXXXX", path[1200], link[1200], size[8];
    int lines;
    struct program p;
    assert_non_null(mkdtemp(scratch));
    (void)snprintf(path, sizeof path, "mkdir '%s/photos'", scratch);
    assert_int_equal(system(path), 0);
    for (int i = 0; i < s->photos; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, s->photo[i]);
        (void)snprintf(link, sizeof link, "%s/photos/%s", scratch, s->photo[i]);
        assert_int_equal(symlink(path, link), 0);
    }
    char first = expect(s, expected, &lines);
    (void)snprintf(size, sizeof size, "%d", lines);
    (void)snprintf(path, sizeof path, "%s/photos", scratch);
    (void)snprintf(link, sizeof link, "%s/film", scratch);
    const char *const arguments[] = {"session",   "import",
                                     path,        link,
                                     "--size",    size,
                                     "--variant", "gomoku-free",
                                     "--colours", first == 'B' ? "black,white" : "white,black",
                                     NULL};
    assert_int_equal(program_run(&p, "tessera", arguments, 300), 0);
    assert_string_equal(p.said, expected);
    program_free(&p);
    const char *const again[] = {"replay", link, "--check", NULL};
    assert_int_equal(program_run(&p, "tessera", again, 300), 0);
    program_free(&p);
    (void)snprintf(path, sizeof path, "rm -rf '%s'", scratch);
    assert_int_equal(system(path), 0);
    print_message("%s: %d photographs of a board with %d lines\n", s->prefix, s->photos, lines);
}

static int is_photo(const struct dirent *e)
{
    const char *move = strstr(e->d_name, "_move_");
    return move && strcmp(e->d_name + strlen(e->d_name) - 4, ".jpg") == 0;
}

static void check_folder(const char *path)
{
    struct dirent **entry;
    static struct sequence s;
    folder = (char *)path;
    int count = scandir(path, &entry, is_photo, alphasort);
    assert_true(count > 0);
    for (int i = 0; i <= count; i++) {
        size_t n = i < count ? (size_t)(strstr(entry[i]->d_name, "_move_") - entry[i]->d_name) : 0;
        if (s.photos &&
            (i == count || strlen(s.prefix) != n || strncmp(s.prefix, entry[i]->d_name, n) != 0)) {
            check_sequence(&s);
            s.photos = 0;
        }
        if (i == count || s.photos == PHOTOS_MAX)
            break;
        (void)snprintf(s.prefix, sizeof s.prefix, "%.*s", (int)n, entry[i]->d_name);
        s.photo[s.photos++] = entry[i]->d_name;
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    folder = NULL;
}

static void test_every_sequence(void **state)
{
    (void)state;
    char path[1024];
    const char *data = data_folder();
    if (!data) {
        print_message("skipped: the sequences are found through TESSERA_DATA\n");
        skip();
    }
    (void)snprintf(path, sizeof path, "%s/photos", data);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 10 || strcmp(e->d_name + n - 10, "-sequences") != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/photos/%s", data, e->d_name);
        check_folder(path);
    }
    (void)closedir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_sequence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
