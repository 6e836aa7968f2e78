#include "config/calibration.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/crc32c.h"
#include "config/base/json.h"
#include "config/calibration_fields.h"

enum {
    // 17 digits give back the same double.
    DUMP_FLAGS = JSON_REAL_PRECISION(17) | JSON_SORT_KEYS
};

void calibration_init(struct calibration *calibration, const char *machine)
{
    memset(calibration, 0, sizeof *calibration);
    (void)snprintf(calibration->machine, sizeof calibration->machine, "%s", machine);
    calibration->camera.exposure_us = -1;
    calibration->camera.gain = -1;
    calibration->camera.white_balance_k = -1;
    calibration->camera.focus = -1;
}

// The checksum covers what the file says, not how it is spaced: machine, generation and data in
// compact form with sorted keys.
static int checksum(const json_t *file, uint32_t *ret)
{
    json_t *covered =
        json_pack("{s:O*, s:O*, s:O*, s:O*}", "schema", json_object_get(file, "schema"), "machine",
                  json_object_get(file, "machine"), "generation",
                  json_object_get(file, "generation"), "data", json_object_get(file, "data"));
    char *text = covered ? json_dumps(covered, DUMP_FLAGS | JSON_COMPACT) : NULL;
    json_decref(covered);
    if (!text)
        return -ENOMEM;
    *ret = crc32c(0, text, strlen(text));
    free(text);
    return 0;
}

static int damaged(struct error *err, const char *path, const char *what)
{
    error_set_code(err, -EINVAL, "CalibrationDamaged", "the calibration is damaged: %.200s", what);
    if (err)
        (void)snprintf(err->file, sizeof err->file, "%s", path);
    return -EINVAL;
}

static int check_head(const json_t *file, const char *path, const char *machine, int *ret_schema,
                      struct error *err)
{
    int64_t schema = 0;
    if (json_member_int(file, "schema", 1, INT_MAX, &schema, NULL) != 1)
        return damaged(err, path, "it has no schema version");
    *ret_schema = (int)schema;
    if (schema > CALIBRATION_SCHEMA) {
        error_set_code(err, -EINVAL, "CalibrationNewer",
                       "the calibration was written by a newer version of Tessera (schema "
                       "%" PRId64 ", this one knows %d); update, or calibrate again",
                       schema, CALIBRATION_SCHEMA);
    } else {
        const char *name = NULL;
        if (json_member_string(file, "machine", &name, NULL) != 1)
            return damaged(err, path, "it names no machine");
        if (!machine || strcmp(name, machine) == 0)
            return 0;
        error_set_code(err, -EINVAL, "CalibrationOtherMachine",
                       "the calibration belongs to the machine \"%.60s\", but the settings say "
                       "\"%.60s\" (machine.name); calibrate this machine",
                       name, machine);
    }
    if (err)
        (void)snprintf(err->file, sizeof err->file, "%s", path);
    return -EINVAL;
}

static int check_sum(const json_t *file, const char *path, struct error *err)
{
    const char *written = NULL;
    uint32_t sum;
    if (json_member_string(file, "crc32c", &written, NULL) != 1)
        return damaged(err, path, "it has no checksum");
    if (checksum(file, &sum) < 0)
        return error_set(err, -ENOMEM, "out of memory");
    char computed[9];
    (void)snprintf(computed, sizeof computed, "%08" PRIx32, sum);
    if (strcmp(written, computed) != 0)
        return damaged(err, path, "its checksum does not fit its content");
    return 0;
}

static int take_file(const json_t *file, const char *path, const char *machine,
                     struct calibration *ret, struct error *err)
{
    int schema = 0;
    int r = check_head(file, path, machine, &schema, err);
    if (r < 0)
        return r;
    r = check_sum(file, path, err);
    if (r < 0)
        return r;
    struct calibration calibration;
    const char *name = "";
    int64_t generation = 0;
    struct error why;
    (void)json_member_string(file, "machine", &name, NULL);
    if (json_member_int(file, "generation", 1, INT64_MAX - 1, &generation, NULL) != 1)
        return damaged(err, path, "it has no generation");
    if (strlen(name) >= sizeof calibration.machine)
        return damaged(err, path, "the machine's name is too long");
    calibration_init(&calibration, name);
    calibration.generation = generation;
    if (calibration_fields_read(json_object_get(file, "data"), schema, &calibration, &why) < 0)
        return damaged(err, path, why.text);
    *ret = calibration;
    return 0;
}

int calibration_read_text(const char *text, size_t size, const char *path, const char *machine,
                          struct calibration *ret, struct error *err)
{
    json_t *file;
    struct error why;
    int r = json_read_text(text, size, NULL, &file, &why);
    if (r == -EINVAL)
        return damaged(err, path, why.text);
    if (r < 0)
        return error_set(err, r, "%s", why.text);
    r = take_file(file, path, machine, ret, err);
    json_decref(file);
    return r;
}

static int load_one(const char *path, const char *machine, struct calibration *ret,
                    struct error *err)
{
    char *text;
    size_t size;
    struct error why;
    int r = io_read_file(NULL, path, CALIBRATION_FILE_MAX, &text, &size, &why);
    if (r == -EFBIG)
        return damaged(err, path, "it is too large");
    if (r < 0) {
        if (err)
            *err = why;
        return r;
    }
    r = calibration_read_text(text, size, path, machine, ret, err);
    free(text);
    return r;
}

int calibration_load(const char *path, const char *machine, struct calibration *ret,
                     struct error *err)
{
    struct error why;
    int r = load_one(path, machine, ret, &why);
    if (r == 0)
        return 0;
    if (r == -ENOENT)
        return error_set_at(
            err, r, path, 0, 0,
            "there is no calibration yet; `tessera-config calibrate all` makes one");
    if (err) {
        *err = why;
        char good[PATH_MAX];
        size_t length = strlen(err->text);
        if (calibration_last_good(path, machine, good, sizeof good) == 0)
            (void)snprintf(err->text + length, sizeof err->text - length,
                           ". The last good one is still there: `tessera-config restore %s` brings "
                           "it back",
                           good);
    }
    return r;
}

// --- generations beside the file ---

// The number behind "<name>." in a folder entry; 0 when it is none.
static int64_t generation_of(const char *entry, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || entry[length] != '.')
        return 0;
    const char *digits = entry + length + 1;
    char *end;
    errno = 0;
    long long number = strtoll(digits, &end, 10);
    bool plain = *digits >= '1' && *digits <= '9' && *end == '\0' && errno == 0;
    return plain ? number : 0;
}

static DIR *open_folder(const char *path, const char **ret_name)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    if (slash)
        (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path),
                       path);
    *ret_name = slash ? slash + 1 : path;
    return opendir(slash ? folder : ".");
}

// The largest generation below `below`, 0 when there is none; *ret_count = how many there are.
static int64_t newest_below(const char *path, int64_t below, int *ret_count)
{
    const char *name;
    int64_t newest = 0;
    *ret_count = 0;
    DIR *folder = open_folder(path, &name);
    if (!folder)
        return 0;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        int64_t generation = generation_of(entry->d_name, name);
        if (generation <= 0 || generation >= below)
            continue;
        ++*ret_count;
        if (generation > newest)
            newest = generation;
    }
    (void)closedir(folder);
    return newest;
}

static int generation_path(const char *path, int64_t generation, char *ret, size_t size)
{
    int n = snprintf(ret, size, "%s.%" PRId64, path, generation);
    return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int calibration_last_good(const char *path, const char *machine, char *ret_path, uint32_t size)
{
    struct calibration found;
    if (load_one(path, machine, &found, NULL) == 0) {
        int n = snprintf(ret_path, size, "%s", path);
        return n < 0 || (uint32_t)n >= size ? -ENAMETOOLONG : 0;
    }
    int count;
    int64_t generation = INT64_MAX;
    while ((generation = newest_below(path, generation, &count)) > 0) {
        char older[PATH_MAX];
        if (generation_path(path, generation, older, sizeof older) < 0 ||
            load_one(older, machine, &found, NULL) < 0)
            continue;
        int n = snprintf(ret_path, size, "%s", older);
        return n < 0 || (uint32_t)n >= size ? -ENAMETOOLONG : 0;
    }
    return -ENOENT;
}

// Drops the oldest until CALIBRATION_KEPT are left. What cannot be dropped does no harm.
static void drop_old(const char *path)
{
    int count;
    int64_t generation = INT64_MAX;
    for (int kept = 0; (generation = newest_below(path, generation, &count)) > 0; kept++) {
        char older[PATH_MAX];
        if (kept >= CALIBRATION_KEPT && generation_path(path, generation, older, sizeof older) == 0)
            (void)unlink(older);
    }
}

// A second name for what stands at `path`, before another file takes its place. A file that cannot
// be read gets one too: it may be all there is for a person to look into.
static int keep_present(const char *path, int64_t next, struct error *err)
{
    struct calibration present;
    int64_t generation = next - 1;
    if (load_one(path, NULL, &present, NULL) == 0)
        generation = present.generation;
    if (generation < 1)
        generation = 1;
    char older[PATH_MAX];
    int r = generation_path(path, generation, older, sizeof older);
    if (r == 0 && link(path, older) < 0 && errno != EEXIST && errno != ENOENT)
        r = -errno;
    if (r < 0)
        return error_set_at(err, r, path, 0, 0,
                            "cannot keep the present calibration as %s, so it was not replaced: %s",
                            older, strerror(-r));
    return 0;
}

// One more than anything that has ever stood here.
static int64_t next_generation(const char *path)
{
    int count;
    int64_t newest = newest_below(path, INT64_MAX, &count);
    struct calibration present = {.generation = 0};
    if (load_one(path, NULL, &present, NULL) == 0 && present.generation > newest)
        newest = present.generation;
    else if (access(path, F_OK) == 0 && newest == 0)
        newest = 1; // an unreadable first one
    return newest + 1;
}

static char *dump_file(const struct calibration *calibration)
{
    char saved[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (gmtime_r(&now, &tm))
        (void)strftime(saved, sizeof saved, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_t *file =
        json_pack("{s:i, s:s, s:I, s:s, s:o}", "schema", CALIBRATION_SCHEMA, "machine",
                  calibration->machine, "generation", (json_int_t)calibration->generation, "saved",
                  saved, "data", calibration_fields_write(calibration));
    uint32_t sum;
    char *text = NULL;
    if (file && checksum(file, &sum) == 0) {
        char hex[9];
        (void)snprintf(hex, sizeof hex, "%08" PRIx32, sum);
        if (json_object_set_new(file, "crc32c", json_string(hex)) == 0)
            text = json_dumps(file, DUMP_FLAGS | JSON_INDENT(1));
    }
    json_decref(file);
    return text;
}

int calibration_save(const struct io_ops *io, const char *path, struct calibration *calibration,
                     struct error *err)
{
    struct calibration next = *calibration;
    next.generation = next_generation(path);
    char *text = dump_file(&next);
    if (!text)
        return error_set(err, -EINVAL,
                         "the calibration holds a number that is not finite (or memory is out), so "
                         "it was not saved");
    int r = keep_present(path, next.generation, err);
    if (r == 0)
        r = atomic_file_write(io, path, text, strlen(text), 0644, err);
    free(text);
    if (r < 0)
        return r;
    calibration->generation = next.generation;
    drop_old(path);
    return 0;
}
