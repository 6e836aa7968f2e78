// Both clocks of the loop are held to the same promises; the virtual one to its own as well.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/loop.h"

static const int64_t MS = 1000000;

struct trace {
    struct loop *loop;
    struct loop_source *source, *last;
    char text[128]; // one letter an event, in order
    int count;
};

static void note(struct trace *t, char c)
{
    size_t n = strlen(t->text);
    assert_true(n + 1 < sizeof t->text);
    t->text[n] = c;
    t->text[n + 1] = 0;
}

static void both(void (*check)(struct loop *loop))
{
    struct loop *loop;
    assert_int_equal(loop_new_real(&loop), 0);
    assert_false(loop_is_virtual(loop));
    check(loop);
    assert_null(loop_free(loop));
    assert_int_equal(loop_new_virtual(0, &loop), 0);
    assert_true(loop_is_virtual(loop));
    check(loop);
    assert_null(loop_free(loop));
}

static void on_exit_timer(void *user, int64_t now)
{
    (void)now;
    struct trace *t = user;
    note(t, 'x');
    loop_exit(t->loop, 7);
}

static void on_tick(void *user, int64_t now)
{
    struct trace *t = user;
    note(t, 't');
    if (++t->count < 3) {
        loop_source_set_due(t->source, now + 2 * MS);
        return;
    }
    t->source = loop_source_free(t->source); // its own callback
    loop_source_set_due(t->last, now + 2 * MS);
}

static void check_timers(struct loop *loop)
{
    struct trace t = {.loop = loop};
    int64_t start = loop_now(loop);
    assert_int_equal(loop_add_timer(loop, start + 2 * MS, on_tick, &t, &t.source), 0);
    // Due only after the last tick: a busy machine may come late to all of them.
    assert_int_equal(loop_add_timer(loop, INT64_MAX, on_exit_timer, &t, &t.last), 0);
    struct loop_source *off, *moved;
    assert_int_equal(loop_add_timer(loop, INT64_MAX, on_exit_timer, &t, &off), 0);
    assert_int_equal(loop_add_timer(loop, start + 1 * MS, on_exit_timer, &t, &moved), 0);
    assert_int_equal(loop_source_set_due(moved, INT64_MAX), 0);
    assert_int_equal(loop_run(loop), 7);
    assert_string_equal(t.text, "tttx");
    assert_true(loop_now(loop) >= start + 8 * MS);
}

static void test_timers(void **state)
{
    (void)state;
    both(check_timers);
}

static void on_read(void *user, int fd, uint32_t revents)
{
    struct trace *t = user;
    char c;
    if (revents & EPOLLIN && read(fd, &c, 1) == 1) {
        note(t, c);
        return;
    }
    assert_true(revents & EPOLLHUP);
    note(t, 'H');
    loop_exit(t->loop, 0);
}

static void on_write(void *user, int fd, uint32_t revents)
{
    struct trace *t = user;
    assert_true(revents & EPOLLOUT);
    assert_int_equal(write(fd, "ab", 2), 2);
    assert_int_equal(loop_source_set_events(t->source, 0), 0);
    shutdown(fd, SHUT_RDWR);
}

static void check_io(struct loop *loop)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct trace r = {.loop = loop}, w = {.loop = loop};
    assert_int_equal(loop_add_io(loop, pair[0], EPOLLIN, on_read, &r, NULL), 0);
    assert_int_equal(loop_add_io(loop, pair[1], EPOLLOUT, on_write, &w, &w.source), 0);
    assert_int_equal(loop_add_io(loop, -1, EPOLLIN, on_read, &r, NULL), -EBADF);
    assert_int_equal(loop_run(loop), 0);
    assert_string_equal(r.text, "abH");
    close(pair[0]);
    close(pair[1]);
}

static void test_io(void **state)
{
    (void)state;
    both(check_io);
}

static void on_child(void *user, pid_t pid, int status)
{
    struct trace *t = user;
    (void)pid;
    assert_true(WIFEXITED(status));
    t->count = WEXITSTATUS(status);
    loop_exit(t->loop, 0);
}

static void check_child(struct loop *loop)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(42);
    struct trace t = {.loop = loop};
    assert_int_equal(loop_add_child(loop, pid, on_child, &t, NULL), 0);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(t.count, 42);
}

static void test_child(void **state)
{
    (void)state;
    both(check_child);
}

static void on_signal(void *user, int signo)
{
    struct trace *t = user;
    t->count = signo;
    loop_exit(t->loop, 0);
}

static void check_signal(struct loop *loop)
{
    struct trace t = {.loop = loop};
    assert_int_equal(loop_add_signal(loop, SIGUSR1, on_signal, &t, NULL), 0);
    kill(getpid(), SIGUSR1);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(t.count, SIGUSR1);
}

static void test_signal(void **state)
{
    (void)state;
    both(check_signal);
}

// A closed terminal asks to end as Ctrl-C does, but not one that was to outlive it (nohup).
static void check_endings(struct loop *loop)
{
    static const int SIGNAL[LOOP_ENDINGS] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < LOOP_ENDINGS; i++) {
        struct trace t = {.loop = loop};
        struct loop_source *source[LOOP_ENDINGS];
        assert_int_equal(loop_add_endings(loop, on_signal, &t, source), 0);
        kill(getpid(), SIGNAL[i]);
        assert_int_equal(loop_run(loop), 0);
        assert_int_equal(t.count, SIGNAL[i]);
        for (int k = 0; k < LOOP_ENDINGS; k++)
            loop_source_free(source[k]);
    }
    struct trace t = {.loop = loop};
    struct loop_source *source[LOOP_ENDINGS];
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(loop_add_endings(loop, on_signal, &t, source), 0);
    assert_non_null(source[1]);
    assert_null(source[2]);
    signal(SIGHUP, SIG_DFL);
}

static void test_endings(void **state)
{
    (void)state;
    both(check_endings);
}

static void on_posted(void *user, int64_t now)
{
    (void)now;
    struct trace *t = user;
    loop_release(t->loop);
    if (++t->count == 100)
        loop_exit(t->loop, 0);
}

static void *poster(void *user)
{
    struct trace *t = user;
    for (int i = 0; i < 100; i++)
        loop_post(t->loop, on_posted, t);
    return NULL;
}

static void on_too_early(void *user, int64_t now)
{
    (void)now;
    note(user, '!');
}

// A thread's work is done while virtual time stands still: the timer must not overtake it.
static void check_post(struct loop *loop)
{
    struct trace t = {.loop = loop};
    for (int i = 0; i < 100; i++)
        loop_hold(loop);
    loop_add_timer(loop, loop_now(loop) + 10000 * MS, on_too_early, &t, NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, poster, &t), 0);
    assert_int_equal(loop_run(loop), 0);
    pthread_join(thread, NULL);
    assert_int_equal(t.count, 100);
    assert_string_equal(t.text, "");
}

static void test_post(void **state)
{
    (void)state;
    both(check_post);
}

// --- the virtual clock alone ---

static void on_a(void *user, int64_t now)
{
    (void)now;
    note(user, 'a');
}

static void on_b(void *user, int64_t now)
{
    (void)now;
    note(user, 'b');
}

static void test_virtual_order(void **state)
{
    (void)state;
    struct loop *loop;
    assert_int_equal(loop_new_virtual(5 * MS, &loop), 0);
    assert_int_equal(loop_now(loop), 5 * MS);
    struct trace t = {.loop = loop};
    // An hour passes at once, and what is due together fires in the order it was armed.
    int64_t hour = 3600000 * MS;
    struct loop_source *late;
    loop_add_timer(loop, hour, on_a, &t, &late);
    loop_add_timer(loop, hour, on_b, &t, NULL);
    loop_add_timer(loop, 1, on_a, &t, NULL); // past: fires now, and time does not run backwards
    loop_source_set_due(late, hour);         // armed again: now after b
    loop_add_timer(loop, hour + 1, on_exit_timer, &t, NULL);
    time_t began = time(NULL);
    assert_int_equal(loop_run(loop), 7);
    assert_true(time(NULL) - began < 5);
    assert_string_equal(t.text, "abax");
    assert_int_equal(loop_now(loop), hour + 1);
    loop_free(loop);
}

// The heap against a plain sort: a thousand timers, a third switched off and a third moved.
static int64_t last_fired;
static int fired;

static void on_ordered(void *user, int64_t now)
{
    int64_t *due = user;
    assert_int_equal(now, *due);
    assert_true(now >= last_fired);
    last_fired = now;
    fired++;
}

static void test_virtual_heap(void **state)
{
    (void)state;
    enum { TIMERS = 1000 };
    static int64_t due[TIMERS];
    static struct loop_source *sources[TIMERS];
    struct loop *loop;
    assert_int_equal(loop_new_virtual(0, &loop), 0);
    struct trace t = {.loop = loop};
    uint32_t x = 12345;
    int expected = 0;
    for (int i = 0; i < TIMERS; i++) {
        x = x * 1664525 + 1013904223;
        due[i] = 1 + x % 1000;
        assert_int_equal(loop_add_timer(loop, due[i], on_ordered, &due[i], &sources[i]), 0);
    }
    for (int i = 0; i < TIMERS; i++) {
        x = x * 1664525 + 1013904223;
        if (i % 3 == 0) {
            sources[i] = loop_source_free(sources[i]);
            continue;
        }
        expected++;
        if (i % 3 == 1)
            assert_int_equal(loop_source_set_due(sources[i], due[i] = 1 + x % 1000), 0);
    }
    last_fired = fired = 0;
    loop_add_timer(loop, 2000, on_exit_timer, &t, NULL);
    assert_int_equal(loop_run(loop), 7);
    assert_int_equal(fired, expected);
    loop_free(loop);
}

// A byte that takes a while through the kernel arrives at the time it was sent.
struct slow {
    struct trace t;
    int looked, fd;
};

static bool on_settled(void *user)
{
    struct slow *s = user;
    if (++s->looked < 20)
        return false;
    if (s->looked == 20)
        assert_int_equal(write(s->fd, "z", 1), 1);
    return strchr(s->t.text, 'z') != NULL;
}

static void test_virtual_settled(void **state)
{
    (void)state;
    struct loop *loop;
    assert_int_equal(loop_new_virtual(0, &loop), 0);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct slow s = {.t.loop = loop, .fd = fds[1]};
    loop_add_settled(loop, on_settled, &s);
    loop_add_io(loop, fds[0], EPOLLIN, on_read, &s.t, NULL);
    loop_add_timer(loop, 1, on_exit_timer, &s.t, NULL);
    assert_int_equal(loop_run(loop), 7);
    assert_string_equal(s.t.text, "zx");
    loop_free(loop);
    close(fds[0]);
    close(fds[1]);
}

// A source freed by another one's callback in the same round is not called any more.
struct rival {
    struct loop *loop;
    struct loop_source *other;
    int calls;
};

static void on_rival(void *user, int fd, uint32_t revents)
{
    (void)fd, (void)revents;
    struct rival *r = user;
    r->calls++;
    r->other = loop_source_free(r->other);
    loop_exit(r->loop, 0);
}

static void test_free_during_dispatch(void **state)
{
    (void)state;
    struct loop *loop;
    assert_int_equal(loop_new_virtual(0, &loop), 0);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    int again = dup(fds[0]);
    struct rival first = {.loop = loop}, second = {.loop = loop};
    loop_add_io(loop, fds[0], EPOLLIN, on_rival, &first, NULL);
    loop_add_io(loop, again, EPOLLIN, on_rival, &second, &first.other);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 0);
    loop_free(loop);
    close(fds[0]);
    close(fds[1]);
    close(again);
}

static void on_end(void *user, int64_t now)
{
    (void)now;
    loop_exit(user, 0);
}

// As long as the loop turns, systemd hears of it, also when nothing happens.
static void test_watchdog(void **state)
{
    (void)state;
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    struct loop *loop;
    char said[64] = "";
    snprintf(where.sun_path, sizeof where.sun_path, "/tmp/tessera-notify-%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&where, sizeof where), 0);
    setenv("NOTIFY_SOCKET", where.sun_path, 1);
    setenv("WATCHDOG_USEC", "100000", 1);
    assert_int_equal(loop_new_real(&loop), 0);
    assert_int_equal(loop_add_timer(loop, loop_now(loop) + 300 * MS, on_end, loop, NULL), 0);
    assert_int_equal(loop_run(loop), 0);
    assert_true(recv(fd, said, sizeof said - 1, 0) > 0);
    assert_non_null(strstr(said, "WATCHDOG=1"));
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    loop_free(loop);
    close(fd);
    unlink(where.sun_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timers),          cmocka_unit_test(test_io),
        cmocka_unit_test(test_child),           cmocka_unit_test(test_signal),
        cmocka_unit_test(test_endings),         cmocka_unit_test(test_post),
        cmocka_unit_test(test_virtual_order),   cmocka_unit_test(test_virtual_heap),
        cmocka_unit_test(test_virtual_settled), cmocka_unit_test(test_free_during_dispatch),
        cmocka_unit_test(test_watchdog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
