// The journal: any file is opened or refused with a place, and what was opened opens again.
//
// First byte '!': the rest is the file as it stands. Otherwise each line of the input becomes the
// members of a whole journal line, so that the fuzzer gets past the checksum.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/io.h"
#include "rules/daemon/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[128];

static void make_folder(void)
{
    if (folder[0])
        return;
    snprintf(folder, sizeof folder, "%s/fuzz_journal.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/" JOURNAL_FILE, folder);
}

static void remove_folder(void)
{
    char lock[128];
    snprintf(lock, sizeof lock, "%s/lock", folder);
    unlink(lock);
    unlink(path);
    rmdir(folder);
}

static void write_framed(int fd, const uint8_t *data, size_t size)
{
    static char line[JOURNAL_LINE_MAX];
    int64_t seq = 0;
    while (size > 0) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) : size;
        int n = journal_line_format(line, sizeof line, seq + 1, seq, (const char *)data, length);
        if (n > 0 && io_write_all(NULL, fd, line, (size_t)n) < 0)
            abort();
        seq++;
        size -= newline ? length + 1 : length;
        data += newline ? length + 1 : length;
    }
}

// The number of games, -1 when opening was refused.
static int64_t open_store(struct journal_report *report)
{
    struct store *store;
    struct error err = {0};
    struct journal_settings settings = {.folder = folder};
    if (store_new(&store) < 0)
        abort();
    int64_t games = -1;
    if (store_open(store, &settings, report, &err) == 0) {
        games = store_game_count(store);
        for (uint32_t g = 1; g <= games; g++) {
            struct summary summary;
            store_summary(store, g, &summary);
            if (store_game(store, g)->ply != summary.ply)
                abort();
        }
    } else if (err.number >= 0 || !err.text[0] || !err.file[0]) {
        abort();
    }
    store_free(store);
    if (report->torn_path[0])
        unlink(report->torn_path);
    return games;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder[0]) {
        make_folder();
        atexit(remove_folder);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        abort();
    if (size > 0 && data[0] == '!') {
        if (io_write_all(NULL, fd, data + 1, size - 1) < 0)
            abort();
    } else {
        write_framed(fd, data, size);
    }
    close(fd);
    struct journal_report first = {0}, second = {0};
    int64_t games = open_store(&first);
    if (games >= 0 &&
        (open_store(&second) != games || second.torn_bytes != 0 || second.lines != first.lines))
        abort();
    return 0;
}
