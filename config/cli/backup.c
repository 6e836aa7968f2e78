// backup and restore: settings, drop-ins and calibration as one file.
//
// A backup is JSON with the files' own texts in it, so that it can be read, compared and mended by
// hand. Each text is checked like the file itself before anything is replaced; what is replaced is
// kept under another name.
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/atomic_file.h"
#include "config/base/io.h"
#include "config/base/json.h"
#include "config/calibration.h"
#include "config/cli/cli.h"
#include "config/paths.h"
#include "config/yaml_entries.h"

enum {
    BACKUP_VERSION = 1,
    BACKUP_MAX = 4 << 20, // bytes
};

// Adds the text of a file; an absent one is left out. 1 when it was there.
static int add_text(json_t *backup, const char *name, const char *path, size_t limit,
                    struct error *err)
{
    char *text;
    size_t size;
    int r = io_read_file(NULL, path, limit, &text, &size, err);
    if (r == -ENOENT)
        return 0;
    if (r < 0)
        return r;
    json_t *string = json_stringn(text, size); // NULL unless it is UTF-8
    free(text);
    if (!string)
        return error_set_at(err, -EINVAL, path, 0, 0, "is no text, so it cannot be backed up");
    return json_object_set_new(backup, name, string) < 0 ? -ENOMEM : 1;
}

static int add_drop_ins(json_t *backup, const struct reading *reading, struct error *err)
{
    json_t *drop_ins = json_object();
    if (json_object_set_new(backup, "drop_ins", drop_ins) < 0)
        return -ENOMEM;
    // Those that say something: the ones values came from.
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct reading_origin *origin = &reading->origin[i];
        if (origin->layer != READING_DROP_IN)
            continue;
        const char *name = strrchr(origin->file, '/');
        name = name ? name + 1 : origin->file;
        if (json_object_get(drop_ins, name))
            continue;
        int r = add_text(drop_ins, name, origin->file, YAML_FILE_MAX, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int write_backup(const struct cli *cli, const struct reading *reading, const char *file,
                        struct error *err)
{
    char calibration[PATHS_MAX];
    json_t *backup = json_pack("{s:i, s:s}", "tessera_backup", BACKUP_VERSION, "machine",
                               reading->settings.machine.name);
    int r = backup ? 0 : -ENOMEM;
    if (r == 0)
        r = add_text(backup, "settings", cli_settings_file(cli), YAML_FILE_MAX, err);
    int found = r > 0;
    if (r >= 0)
        r = add_drop_ins(backup, reading, err);
    if (r >= 0)
        r = paths_calibration(&reading->settings, calibration, sizeof calibration);
    if (r >= 0)
        r = add_text(backup, "calibration", calibration, CALIBRATION_FILE_MAX, err);
    found += r > 0;
    if (r >= 0 && found == 0)
        r = error_set(err, -ENOENT,
                      "there is neither a settings file (%s) nor a calibration (%s), "
                      "so there is nothing to back up",
                      cli_settings_file(cli), calibration);
    char *text = r >= 0 ? json_dumps(backup, JSON_INDENT(1)) : NULL;
    if (r >= 0)
        r = text ? atomic_file_write(NULL, file, text, strlen(text), 0600, err)
                 : error_set(err, -ENOMEM, "out of memory");
    free(text);
    json_decref(backup);
    return r;
}

enum cli_exit cli_backup(struct cli *cli)
{
    struct reading *reading = cli_read_settings(cli);
    if (!reading)
        return CLI_USAGE;
    struct error err = {.number = -ENOMEM, .text = "out of memory"};
    int r = write_backup(cli, reading, cli->arguments[0], &err);
    reading_free(reading);
    if (r < 0) {
        cli_complain(&err);
        return CLI_FAILED;
    }
    if (!cli->quiet)
        (void)printf("%s holds settings and calibration\n", cli->arguments[0]);
    return CLI_DONE;
}

// --- restore ---

struct restored {
    const char *settings; // text, NULL = none; borrowed
    json_t *drop_ins;     // borrowed
    bool has_calibration;
    struct calibration calibration;
};

static int check_settings_text(const char *name, const char *text, struct error *err)
{
    struct reading *reading = reading_new();
    if (!reading)
        return error_set(err, -ENOMEM, "out of memory");
    int r = reading_text(reading, text, strlen(text), name, READING_FILE);
    if (r < 0)
        (void)faults_first(reading->faults, err);
    reading_free(reading);
    return r;
}

static int check_backup(json_t *backup, const char *file, struct restored *ret, struct error *err)
{
    int64_t version;
    const char *calibration = NULL;
    int r = json_member_int(backup, "tessera_backup", 1, BACKUP_VERSION, &version, err);
    if (r >= 0)
        r = json_member_string(backup, "settings", &ret->settings, err);
    if (r > 0)
        r = check_settings_text("settings in the backup", ret->settings, err);
    if (r >= 0)
        r = json_member_object(backup, "drop_ins", &ret->drop_ins, err);
    const char *name;
    json_t *text;
    json_object_foreach(ret->drop_ins, name, text)
    {
        if (r >= 0 && (!json_is_string(text) || strchr(name, '/') || name[0] == '.'))
            r = error_set_at(err, -EINVAL, file, 0, 0, "has a drop-in of a strange name or kind");
        if (r >= 0)
            r = check_settings_text(name, json_string_value(text), err);
    }
    if (r >= 0)
        r = json_member_string(backup, "calibration", &calibration, err);
    if (r > 0) {
        r = calibration_read_text(calibration, strlen(calibration), "calibration in the backup",
                                  NULL, &ret->calibration, err);
        ret->has_calibration = r == 0;
    }
    return r < 0 ? r : 0;
}

static int put_settings(const struct cli *cli, const struct restored *restored, struct error *err)
{
    const char *file = cli_settings_file(cli);
    int r = 0;
    if (restored->settings) {
        r = cli_set_aside(file, err);
        if (r == 0)
            r = cli_write_file(file, restored->settings, strlen(restored->settings), err);
    }
    const char *name;
    json_t *text;
    json_object_foreach(restored->drop_ins, name, text)
    {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path, "%.*s.d/%.200s", SETTINGS_PATH_MAX, file, name);
        if (r == 0)
            r = cli_set_aside(path, err);
        if (r == 0)
            r = cli_write_file(path, json_string_value(text), json_string_length(text), err);
    }
    return r;
}

// Under the settings that hold now, that is: after a restored settings file is in place.
static int put_calibration(const struct cli *cli, struct restored *restored, struct error *err)
{
    struct settings settings;
    struct settings_source source = {
        .file = cli->file,
        .environment = (const char *const *)environ,
        .overrides = cli->overrides,
    };
    char path[PATHS_MAX];
    char folder[PATHS_MAX];
    int r = settings_load(&source, &settings, err);
    if (r < 0)
        return r;
    if (strcmp(restored->calibration.machine, settings.machine.name) != 0)
        return error_set_code(err, -EINVAL, "CalibrationOtherMachine",
                              "the calibration is of the machine \"%.60s\", but the settings say "
                              "\"%.60s\" (machine.name); it was not restored",
                              restored->calibration.machine, settings.machine.name);
    r = paths_state(&settings, folder, sizeof folder);
    if (r == 0)
        r = paths_calibration(&settings, path, sizeof path);
    if (r < 0)
        return error_set(err, r, "there is no folder for the calibration: %s", strerror(-r));
    r = io_make_folder(folder, 0755, err);
    if (r == 0)
        r = calibration_save(NULL, path, &restored->calibration, err);
    if (r == 0 && !cli->quiet)
        (void)printf("%s is restored, as generation %lld\n", path,
                     (long long)restored->calibration.generation);
    return r;
}

static int restore(const struct cli *cli, const char *file, json_t *json, struct error *err)
{
    struct restored *restored = calloc(1, sizeof *restored);
    if (!restored)
        return error_set(err, -ENOMEM, "out of memory");
    int r;
    if (json_object_get(json, "tessera_backup")) {
        r = check_backup(json, file, restored, err);
    } else { // an older generation beside the present calibration
        r = calibration_load(file, NULL, &restored->calibration, err);
        restored->has_calibration = r == 0;
    }
    if (r == 0)
        r = put_settings(cli, restored, err);
    if (r == 0 && !cli->quiet && restored->settings)
        (void)printf("%s is restored\n", cli_settings_file(cli));
    if (r == 0 && restored->has_calibration)
        r = put_calibration(cli, restored, err);
    free(restored);
    return r;
}

enum cli_exit cli_restore(struct cli *cli)
{
    const char *file = cli->arguments[0];
    json_t *json;
    struct error err;
    int r = json_read_file(file, BACKUP_MAX, &json, &err);
    if (r == 0) {
        r = restore(cli, file, json, &err);
        json_decref(json);
    }
    if (r == 0)
        return CLI_DONE;
    cli_complain(&err);
    return CLI_FAILED;
}
