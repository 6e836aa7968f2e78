// Sockets for panel and frames, and the commands.
#include "controller/sim/table_serve.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "controller/sim/world.h"

enum { CLIENTS_MAX = 8, LINE_MAX_BYTES = 256, REPLY_MAX = 1024, FRAME_POLL_MS = 200 };

struct client {
    struct table_serve *serve;
    int fd; // -1 = free
    struct loop_source *source;
    char line[LINE_MAX_BYTES];
    size_t length;
};

struct table_serve {
    struct loop *loop;
    struct table *table;
    int panel_fd, frames_fd; // listening, -1 = none
    char panel_path[108], frames_path[108];
    struct loop_source *panel_source, *edge_source;
    struct client client[CLIENTS_MAX];

    bool thread_runs, to_stdout;
    pthread_t thread;
    atomic_bool stop;
};

// --- commands ---

static void tell(struct client *c, const char *text)
{
    char line[REPLY_MAX + 2];
    const int n = snprintf(line, sizeof line, "%s\n", text);
    // A client that does not read loses lines, not the table its time.
    if (send(c->fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return;
}

static void tell_all(struct table_serve *s, const char *text)
{
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0)
            tell(&s->client[i], text);
}

static void person_done(void *user, int result)
{
    char text[64];
    snprintf(text, sizeof text, "person %s", result ? strerror(-result) : "done");
    tell_all(user, text);
}

static const char *truth(struct table_serve *s, char *reply, size_t size)
{
    const struct setup_board *b = &table_setup_of(s->table)->board;
    int8_t board[SETUP_LINES_MAX * SETUP_LINES_MAX];
    table_truth(s->table, board);
    size_t n = (size_t)snprintf(reply, size, "ok ");
    for (int row = b->rows - 1; row >= 0; row--) {
        for (int column = 0; column < b->columns && n + 2 < size; column++) {
            const int8_t colour = board[row * b->columns + column];
            reply[n++] = colour < 0 ? '?' : ".1234"[colour];
        }
        reply[n++] = row ? '/' : '\0';
    }
    return NULL;
}

static const char *ledger(struct table_serve *s, char *reply, size_t size)
{
    struct table_ledger l;
    table_ledger(s->table, &l);
    size_t n = (size_t)snprintf(reply, size, "ok total %d", l.total);
    for (int c = 1; c <= table_setup_of(s->table)->stones.colours; c++)
        n += (size_t)snprintf(reply + n, size - n, " colour %d board %d store %d bowl %d tray %d",
                              c, l.board[c], l.store[c], l.bowl[c], l.tray[c]);
    snprintf(reply + n, size - n, " cup %d hand %d beside %d floor %d incidents %d", l.cup, l.hand,
             l.beside, l.floor, l.incidents);
    return NULL;
}

static const char *person_command(struct table_serve *s, const char *verb, const char *rest)
{
    struct person *p = table_person(s->table);
    struct person_task task = {0};
    int a[4], n = 0, r;
    double seconds;
    if (strcmp(verb, "place") == 0 &&
        sscanf(rest, "%d %d %d %n", &task.colour, &task.column, &task.row, &n) == 3) {
        task.press = strcmp(rest + n, "press") == 0;
        r = person_do(p, &task, person_done, s);
    } else if (strcmp(verb, "lift") == 0 &&
               sscanf(rest, "%d %d", &task.lift[0][0], &task.lift[0][1]) == 2) {
        task.lifts = 1;
        r = person_do(p, &task, person_done, s);
    } else if (strcmp(verb, "move") == 0 &&
               sscanf(rest, "%d %d %d %d", &a[0], &a[1], &a[2], &a[3]) == 4) {
        r = person_move_stone(p, a, a + 2, person_done, s);
    } else if (strcmp(verb, "reach") == 0 &&
               sscanf(rest, "%d %d %lf", &a[0], &a[1], &seconds) == 3) {
        r = person_reach(p, a[0], a[1], seconds, person_done, s);
    } else {
        return "numbers are missing";
    }
    return r == 0 ? NULL : r == -EBUSY ? "the person is busy" : "that is not on the board";
}

static const char *magic_command(struct table_serve *s, const char *verb, const char *rest)
{
    const struct setup_board *b = &table_setup_of(s->table)->board;
    int colour, column, row, r;
    double at[2];
    if (strcmp(verb, "put") == 0 && sscanf(rest, "%d %d %d", &colour, &column, &row) == 3) {
        if (colour < 1 || colour > table_setup_of(s->table)->stones.colours)
            return "no such colour is in play";
        setup_board_at(b, column, row, at);
        r = table_put_stone(s->table, colour, at[0], at[1]);
        return r < 0 ? "there are too many stones" : NULL;
    }
    if (strcmp(verb, "take") == 0 && sscanf(rest, "%d %d", &column, &row) == 2) {
        setup_board_at(b, column, row, at);
        r = table_take_stone(s->table, at[0], at[1]);
        return r < 0 ? "nothing lies there" : NULL;
    }
    return "numbers are missing";
}

static const char *line_command(struct table_serve *s, const char *verb, const char *rest,
                                char *reply, size_t size)
{
    struct gpio *gpio = table_gpio(s->table);
    enum gpio_line line;
    char name[32];
    int value = 0;
    const int words = sscanf(rest, "%31s %d", name, &value);
    if (words < 1 || gpio_line_from_name(name, &line) < 0)
        return "there is no such line";
    if (strcmp(verb, "get") == 0) {
        snprintf(reply, size, "ok %d", gpio->ops->get(gpio->impl, line));
        return NULL;
    }
    if (words < 2)
        return "the value is missing";
    return gpio->ops->set(gpio->impl, line, value) < 0 ? "that line is an input" : NULL;
}

static const char *fault_command(struct table_serve *s, const char *rest)
{
    enum table_fault fault;
    char name[32];
    double value = 1;
    if (sscanf(rest, "%31s %lf", name, &value) < 1 || table_fault_from_name(name, &fault) < 0)
        return "there is no such fault";
    table_fault(s->table, fault, value);
    return NULL;
}

static const char *press_command(struct table_serve *s, const char *rest)
{
    if (strcmp(rest, "done") != 0 && strcmp(rest, "reset") != 0)
        return "press done, or reset";
    table_press(s->table, *rest == 'd' ? GPIO_BUTTON_DONE : GPIO_BUTTON_RESET);
    return NULL;
}

static const char *serial_command(struct table_serve *s, char *reply, size_t size)
{
    const char *path = table_serial_path(s->table);
    if (!path)
        return "the cable is unplugged";
    snprintf(reply, size, "ok %s", path);
    return NULL;
}

static const char *dispatch(struct table_serve *s, const char *verb, const char *rest, char *reply,
                            size_t size)
{
    if (strcmp(verb, "press") == 0)
        return press_command(s, rest);
    if (strcmp(verb, "estop") == 0) {
        table_estop(s->table, atoi(rest) != 0);
        return NULL;
    }
    if (strcmp(verb, "set") == 0 || strcmp(verb, "get") == 0)
        return line_command(s, verb, rest, reply, size);
    if (strcmp(verb, "place") == 0 || strcmp(verb, "lift") == 0 || strcmp(verb, "move") == 0 ||
        strcmp(verb, "reach") == 0)
        return person_command(s, verb, rest);
    if (strcmp(verb, "put") == 0 || strcmp(verb, "take") == 0)
        return magic_command(s, verb, rest);
    if (strcmp(verb, "fault") == 0)
        return fault_command(s, rest);
    if (strcmp(verb, "serial") == 0)
        return serial_command(s, reply, size);
    if (strcmp(verb, "ledger") == 0)
        return ledger(s, reply, size);
    if (strcmp(verb, "truth") == 0)
        return truth(s, reply, size);
    return "there is no such command";
}

void table_serve_command(struct table_serve *s, const char *line, char *reply, size_t size)
{
    char verb[16] = "";
    int n = 0;
    if (sscanf(line, "%15s %n", verb, &n) < 1)
        n = 0;
    snprintf(reply, size, "ok");
    const char *fault = dispatch(s, verb, line + n, reply, size);
    if (fault)
        snprintf(reply, size, "error %s", fault);
}

// --- clients ---

static void drop(struct client *c)
{
    c->source = loop_source_free(c->source);
    close(c->fd);
    c->fd = -1;
}

static void take_character(struct client *c, char ch)
{
    char reply[REPLY_MAX];
    if (ch != '\n') {
        if (c->length < LINE_MAX_BYTES - 1)
            c->line[c->length++] = ch;
        return;
    }
    c->line[c->length] = '\0';
    if (c->length == LINE_MAX_BYTES - 1)
        snprintf(reply, sizeof reply, "error the line is too long");
    else
        table_serve_command(c->serve, c->line, reply, sizeof reply);
    c->length = 0;
    tell(c, reply);
}

static void client_ready(void *user, int fd, uint32_t revents)
{
    struct client *c = user;
    char data[512];
    (void)revents;
    const ssize_t n = recv(fd, data, sizeof data, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(c);
        return;
    }
    for (ssize_t i = 0; i < n; i++)
        take_character(c, data[i]);
}

static void panel_ready(void *user, int fd, uint32_t revents)
{
    struct table_serve *s = user;
    (void)revents;
    const int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0)
        return;
    for (int i = 0; i < CLIENTS_MAX; i++) {
        struct client *c = &s->client[i];
        if (c->fd >= 0)
            continue;
        *c = (struct client){.serve = s, .fd = accepted};
        if (loop_add_io(s->loop, accepted, EPOLLIN, client_ready, c, &c->source) == 0)
            return;
        c->fd = -1;
        break;
    }
    close(accepted);
}

static void edge_ready(void *user, int fd, uint32_t revents)
{
    struct table_serve *s = user;
    struct gpio *gpio = table_gpio(s->table);
    enum gpio_line line;
    int64_t when;
    (void)fd;
    (void)revents;
    while (gpio->ops->read_edge(gpio->impl, &line, &when) == 0) {
        char text[64];
        snprintf(text, sizeof text, "edge %s %d", gpio_line_name(line),
                 gpio->ops->get(gpio->impl, line));
        tell_all(s, text);
    }
}

// --- frames ---

// 0, or -1 when the reader has gone.
static int write_frame(int fd, const struct frame *frame)
{
    size_t at = 0;
    while (at < frame->size) {
        const ssize_t n = write(fd, frame->data + at, frame->size - at);
        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

// Sends frames to the readers; each gets whole frames, and a slow one slows the others down.
static void *send_frames(void *user)
{
    struct table_serve *s = user;
    struct frame_source *camera = table_camera(s->table);
    int reader[CLIENTS_MAX], readers = 0;
    if (s->to_stdout)
        reader[readers++] = STDOUT_FILENO;
    while (!atomic_load(&s->stop)) {
        struct pollfd p[2] = {{.fd = camera->ops->fd(camera->impl), .events = POLLIN},
                              {.fd = s->frames_fd, .events = POLLIN}};
        if (poll(p, 2, FRAME_POLL_MS) <= 0)
            continue;
        if (p[1].revents & POLLIN && readers < CLIENTS_MAX) {
            const int fd = accept4(s->frames_fd, NULL, NULL, SOCK_CLOEXEC);
            if (fd >= 0)
                reader[readers++] = fd;
        }
        struct frame frame;
        if (!(p[0].revents & POLLIN))
            continue;
        const int r = camera->ops->read(camera->impl, &frame, NULL);
        if (r == -ENODEV)
            poll(NULL, 0, FRAME_POLL_MS); // unplugged: its descriptor stays readable
        for (int i = 0; r == 0 && i < readers; i++) {
            if (write_frame(reader[i], &frame) == 0)
                continue;
            close(reader[i]);
            reader[i--] = reader[--readers];
        }
    }
    for (int i = 0; i < readers; i++)
        close(reader[i]);
    return NULL;
}

// --- life ---

static int listen_at(const char *path, int *ret, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return error_set(err, -ENAMETOOLONG, "%s: the name is too long for a socket.", path);
    strcpy(address.sun_path, path); // NOLINT: the length was checked
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, CLIENTS_MAX) < 0) {
        const int r = -errno;
        if (fd >= 0)
            close(fd);
        return error_set(err, r, "%s: no socket can be made there: %s.", path, strerror(-r));
    }
    *ret = fd;
    return 0;
}

static int open_panel(struct table_serve *s, const char *path, struct error *err)
{
    struct gpio *gpio = table_gpio(s->table);
    int r = listen_at(path, &s->panel_fd, err);
    if (r < 0)
        return r;
    snprintf(s->panel_path, sizeof s->panel_path, "%s", path);
    r = loop_add_io(s->loop, s->panel_fd, EPOLLIN, panel_ready, s, &s->panel_source);
    if (r == 0)
        r = loop_add_io(s->loop, gpio->ops->fd(gpio->impl), EPOLLIN, edge_ready, s,
                        &s->edge_source);
    return r < 0 ? error_set(err, r, "The panel's socket cannot be watched.") : 0;
}

static int open_frames(struct table_serve *s, const char *path, struct error *err)
{
    s->to_stdout = strcmp(path, "-") == 0;
    int r = s->to_stdout ? 0 : listen_at(path, &s->frames_fd, err);
    if (r < 0)
        return r;
    if (!s->to_stdout)
        snprintf(s->frames_path, sizeof s->frames_path, "%s", path);
    signal(SIGPIPE, SIG_IGN); // a reader that goes away is no reason to end
    r = -pthread_create(&s->thread, NULL, send_frames, s);
    s->thread_runs = r == 0;
    return r < 0 ? error_set(err, r, "No thread for the camera: %s.", strerror(-r)) : 0;
}

int table_serve_new(struct loop *loop, struct table *table, const char *panel_path,
                    const char *frames_path, struct table_serve **ret, struct error *err)
{
    struct table_serve *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, -ENOMEM, "Out of memory.");
    s->loop = loop;
    s->table = table;
    s->panel_fd = s->frames_fd = -1;
    for (int i = 0; i < CLIENTS_MAX; i++)
        s->client[i].fd = -1;
    int r = panel_path ? open_panel(s, panel_path, err) : 0;
    if (r == 0 && frames_path)
        r = open_frames(s, frames_path, err);
    if (r < 0) {
        table_serve_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

struct table_serve *table_serve_free(struct table_serve *s)
{
    if (!s)
        return NULL;
    atomic_store(&s->stop, true);
    if (s->thread_runs)
        pthread_join(s->thread, NULL);
    for (int i = 0; i < CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0)
            drop(&s->client[i]);
    loop_source_free(s->panel_source);
    loop_source_free(s->edge_source);
    if (s->panel_fd >= 0)
        close(s->panel_fd);
    if (s->frames_fd >= 0)
        close(s->frames_fd);
    if (s->panel_path[0])
        unlink(s->panel_path);
    if (s->frames_path[0])
        unlink(s->frames_path);
    free(s);
    return NULL;
}
