#include "vision/still.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "config/base/io.h"
#include "vision/photo.h"

struct still {
    char **path;
    int count, next;
    int64_t interval_ns;
    char *bytes; // of the frame handed out last
};

static int still_fd(void *impl)
{
    (void)impl;
    return -1;
}

static int still_read(void *impl, struct frame *ret, struct error *err)
{
    struct still *s = impl;
    if (s->next >= s->count)
        return -ENODATA;
    const int index = s->next++;
    free(s->bytes);
    s->bytes = NULL;
    size_t size = 0;
    const int r = io_read_file(NULL, s->path[index], PHOTO_BYTES_MAX, &s->bytes, &size, err);
    if (r != 0)
        return r;
    if (size < 2 || (uint8_t)s->bytes[0] != 0xFF || (uint8_t)s->bytes[1] != 0xD8)
        return error_set_at(err, -EBADMSG, s->path[index], 0, 0, "this is not a JPEG picture");
    *ret = (struct frame){.format = FRAME_JPEG,
                          .data = (const uint8_t *)s->bytes,
                          .size = size,
                          .time_ns = index * s->interval_ns,
                          .sequence = (uint32_t)index};
    return 0;
}

static void still_close(void *impl)
{
    struct still *s = impl;
    for (int k = 0; k < s->count; k++)
        free(s->path[k]);
    free(s->path);
    free(s->bytes);
    free(s);
}

static const struct frame_source_ops STILL_OPS = {still_fd, still_read, still_close};

static int is_picture(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot != entry->d_name &&
           (strcasecmp(dot, ".jpg") == 0 || strcasecmp(dot, ".jpeg") == 0);
}

static int add_path(struct still *s, const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0)
        return -ENOMEM;
    s->path[s->count++] = path;
    return 0;
}

static int list_folder(struct still *s, const char *folder, struct error *err)
{
    struct dirent **entry = NULL;
    const int found = scandir(folder, &entry, is_picture, alphasort);
    if (found < 0)
        return error_set(err, -errno, "the folder %s can't be read (%s)", folder, strerror(errno));
    if (found == 0) {
        free(entry);
        return error_set(err, -ENOENT, "there is no JPEG picture in %s", folder);
    }
    int r = 0;
    if (found > STILL_FILES_MAX)
        r = error_set(err, -EFBIG, "%s holds more than %d pictures", folder, STILL_FILES_MAX);
    if (r == 0) {
        s->path = calloc((size_t)found, sizeof *s->path);
        r = s->path ? 0 : -ENOMEM;
    }
    for (int k = 0; k < found; k++) {
        if (r == 0)
            r = add_path(s, folder, entry[k]->d_name);
        free(entry[k]);
    }
    free(entry);
    return r == -ENOMEM ? error_set(err, r, "out of memory") : r;
}

int still_source_open(const char *path, int64_t interval_ns, struct frame_source *ret,
                      struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return error_set(err, -errno, "%s can't be opened (%s)", path, strerror(errno));
    struct still *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, -ENOMEM, "out of memory");
    s->interval_ns = interval_ns;
    int r;
    if (S_ISDIR(st.st_mode)) {
        r = list_folder(s, path, err);
    } else {
        s->path = calloc(1, sizeof *s->path);
        r = s->path && add_path(s, "", path) == 0 ? 0 : error_set(err, -ENOMEM, "out of memory");
    }
    if (r != 0) {
        still_close(s);
        return r;
    }
    *ret = (struct frame_source){.ops = &STILL_OPS, .impl = s};
    snprintf(ret->name, sizeof ret->name, "pictures %.54s", path);
    return 0;
}
