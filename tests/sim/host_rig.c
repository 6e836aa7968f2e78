#include "tests/sim/host_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/base/crc32c.h"

static void next(struct host *host);

static void write_all(struct host *host, const char *text, size_t size)
{
    ssize_t n = write(host->fd, text, size);
    assert_int_equal(n, size);
    host->written += size;
}

static void go_to(struct host *host, const char *text)
{
    double at[3], machine[2];
    char line[80];
    assert_int_equal(sscanf(text, "%lf %lf %lf", &at[0], &at[1], &at[2]), 3);
    world_table_to_machine(&host->setup, at, machine);
    int n = snprintf(line, sizeof line, "G90 G0 X%.3f Y%.3f Z%.3f\n", machine[0], machine[1],
                     at[2] + host->setup.machine.surface_z);
    write_all(host, line, (size_t)n);
    host->waiting = true;
}

static void in_a_moment(struct host *host, double ms)
{
    loop_source_set_due(host->timer, loop_now(host->loop) + (int64_t)(ms * 1e6));
}

static void special(struct host *host, const char *line)
{
    struct gpio *gpio = table_gpio(host->table);
    if (strncmp(line, "@pump ", 6) == 0) {
        gpio->ops->set(gpio->impl, GPIO_PUMP, line[6] == '1');
        gpio->ops->set(gpio->impl, GPIO_VALVE, line[6] != '1');
        in_a_moment(host, 0);
    } else if (strncmp(line, "@wait ", 6) == 0) {
        in_a_moment(host, atof(line + 6));
    } else if (strncmp(line, "@to ", 4) == 0) {
        go_to(host, line + 4);
    } else if (strncmp(line, "@raw ", 5) == 0) {
        write_all(host, line + 5, strlen(line + 5));
        in_a_moment(host, 0);
    } else if (strcmp(line, "@call") == 0) {
        in_a_moment(host, 0);
        host->call(host);
    } else {
        fail_msg("what is %s?", line);
    }
}

static void next(struct host *host)
{
    if (!host->script)
        return;
    const char *line = *host->script;
    if (!line) {
        host->script = NULL;
        loop_exit(host->loop, 0);
        return;
    }
    host->script++;
    if (line[0] == '@') {
        special(host, line);
        return;
    }
    char text[128];
    const int n = snprintf(text, sizeof text, "%s\n", line);
    host->waiting = true;
    write_all(host, text, (size_t)n);
}

static void on_line(struct host *host, const char *line)
{
    if (strncmp(line, "ok", 2) != 0 && strncmp(line, "error:", 6) != 0)
        return;
    host->errors += line[0] == 'e';
    if (host->waiting) {
        host->waiting = false;
        next(host);
    }
}

static void on_io(void *user, int fd, uint32_t revents)
{
    struct host *host = user;
    char data[512];
    ssize_t n = read(fd, data, sizeof data);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN || revents & EPOLLHUP) {
            host->hung_up = true;
            host->io = loop_source_free(host->io);
        }
        return;
    }
    const int64_t now = loop_now(host->loop);
    host->got += (uint64_t)n;
    host->log = crc32c(crc32c(host->log, &now, sizeof now), data, (size_t)n);
    for (ssize_t i = 0; i < n; i++) {
        assert_true(host->length < HOST_TEXT - 1);
        host->text[host->length++] = data[i];
        host->text[host->length] = '\0';
        if (data[i] == '\n') {
            const int start = host->line_start;
            host->line_start = host->length;
            on_line(host, host->text + start);
        }
    }
}

static void on_timer(void *user, int64_t now_ns)
{
    struct host *host = user;
    (void)now_ns;
    if (host->script)
        next(host);
    else
        loop_exit(host->loop, 0);
}

static bool settled(void *user)
{
    struct host *host = user;
    return host->fd < 0 || host->hung_up || table_settled(host->table, host->written, host->got);
}

void host_setup(struct host *host)
{
    memset(host, 0, sizeof *host);
    host->fd = -1;
    table_setup_default(&host->setup);
    host->setup.person.hesitation = 0;
    // Small pictures: most tests do not look.
    host->setup.camera.width = 320;
    host->setup.camera.height = 180;
    host->setup.camera.lens.f /= 4;
    host->setup.camera.lens.cx /= 4;
    host->setup.camera.lens.cy /= 4;
}

void host_start(struct host *host, const char *file)
{
    struct error err = {0};
    assert_int_equal(loop_new_virtual(5000000000, &host->loop), 0);
    if (table_new(&host->setup, host->loop, file, &host->table, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(loop_add_timer(host->loop, INT64_MAX, on_timer, host, &host->timer), 0);
    assert_int_equal(loop_add_settled(host->loop, settled, host), 0);
}

void host_open(struct host *host)
{
    host->io = loop_source_free(host->io);
    if (host->fd >= 0)
        close(host->fd);
    host->written = host->got = 0;
    host->hung_up = false;
    assert_int_equal(table_serial_open(host->table, &host->fd), 0);
    assert_int_equal(loop_add_io(host->loop, host->fd, EPOLLIN, on_io, host, &host->io), 0);
}

void host_account(struct host *h)
{
    struct table_ledger l;
    table_ledger(h->table, &l);
    int all = l.cup + l.hand + l.beside + l.floor;
    for (int c = 1; c <= SETUP_COLOURS; c++)
        all += l.board[c] + l.store[c] + l.bowl[c] + l.tray[c];
    assert_int_equal(all, l.total);
    assert_int_equal(table_overflows(h->table), 0);
}

void host_stop(struct host *host)
{
    loop_source_free(host->io);
    loop_source_free(host->timer);
    if (host->fd >= 0)
        close(host->fd);
    table_free(host->table);
    loop_free(host->loop);
}

void host_play(struct host *host, const char *const *script)
{
    host->script = script;
    in_a_moment(host, 0);
    assert_int_equal(loop_run(host->loop), 0);
}

void host_run(struct host *host, double seconds)
{
    host->script = NULL;
    in_a_moment(host, seconds * 1e3);
    assert_int_equal(loop_run(host->loop), 0);
}

bool host_said(const struct host *host, const char *text)
{
    return strstr(host->text, text) != NULL;
}

void host_forget(struct host *host)
{
    host->length = host->line_start = 0;
    host->text[0] = '\0';
}

int host_truth_at(const struct host *host, int column, int row)
{
    int8_t board[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(host->table, board);
    return board[row * host->setup.board.columns + column];
}

int host_stones_on_board(const struct host *host)
{
    struct table_ledger l;
    table_ledger(host->table, &l);
    return l.board[1] + l.board[2];
}
