#include "rules/engine/input.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct input {
    int fd;
    int wake[2]; // closing wake[1] ends the reader
    int (*is_stop)(const char *line);
    atomic_int *stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *queue[INPUT_QUEUE_MAX];
    size_t head, count;
    int ended, quit;
    atomic_int waiting;
    char line[INPUT_LINE_MAX]; // the one being read
    size_t length;
};

static void push(struct input *in)
{
    in->line[in->length] = '\0';
    in->length = 0;
    if (in->is_stop && in->is_stop(in->line))
        atomic_store(in->stop, 1);
    char *copy = strdup(in->line);
    pthread_mutex_lock(&in->lock);
    while (in->count == INPUT_QUEUE_MAX && !in->quit)
        pthread_cond_wait(&in->changed, &in->lock);
    if (copy && !in->quit) {
        in->queue[(in->head + in->count++) % INPUT_QUEUE_MAX] = copy;
        atomic_store(&in->waiting, 1);
        copy = NULL;
    }
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    free(copy);
}

static void take(struct input *in, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n')
            push(in);
        else if ((c >= 32 && c != 127) || c == '\t')
            if (in->length < INPUT_LINE_MAX - 1)
                in->line[in->length++] = (char)c;
    }
}

static void *run(void *argument)
{
    struct input *in = argument;
    char bytes[4096];
    for (;;) {
        struct pollfd fds[2] = {{.fd = in->fd, .events = POLLIN},
                                {.fd = in->wake[0], .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        if (fds[1].revents)
            break;
        if (!fds[0].revents)
            continue;
        ssize_t got = read(in->fd, bytes, sizeof bytes);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            break;
        take(in, bytes, (size_t)got);
    }
    if (in->length)
        push(in);
    pthread_mutex_lock(&in->lock);
    in->ended = 1;
    atomic_store(&in->waiting, 1);
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

int input_new(int fd, int (*is_stop)(const char *line), atomic_int *stop, struct input **ret)
{
    struct input *in = calloc(1, sizeof *in);
    if (!in)
        return -ENOMEM;
    in->fd = fd;
    in->is_stop = is_stop;
    in->stop = stop;
    if (pipe(in->wake) < 0) {
        int r = -errno;
        free(in);
        return r;
    }
    pthread_mutex_init(&in->lock, NULL);
    pthread_cond_init(&in->changed, NULL);
    int r = pthread_create(&in->thread, NULL, run, in);
    if (r != 0) {
        close(in->wake[0]);
        close(in->wake[1]);
        free(in);
        return -r;
    }
    *ret = in;
    return 0;
}

char *input_next(struct input *in)
{
    char *line = NULL;
    pthread_mutex_lock(&in->lock);
    while (!in->count && !in->ended)
        pthread_cond_wait(&in->changed, &in->lock);
    if (in->count) {
        line = in->queue[in->head];
        in->head = (in->head + 1) % INPUT_QUEUE_MAX;
        in->count--;
        atomic_store(&in->waiting, in->count > 0 || in->ended);
        pthread_cond_broadcast(&in->changed);
    }
    pthread_mutex_unlock(&in->lock);
    return line;
}

atomic_int *input_waiting(struct input *in)
{
    return &in->waiting;
}

struct input *input_free(struct input *in)
{
    if (!in)
        return NULL;
    pthread_mutex_lock(&in->lock);
    in->quit = 1;
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    close(in->wake[1]);
    pthread_join(in->thread, NULL);
    close(in->wake[0]);
    for (; in->count; in->count--, in->head = (in->head + 1) % INPUT_QUEUE_MAX)
        free(in->queue[in->head]);
    pthread_cond_destroy(&in->changed);
    pthread_mutex_destroy(&in->lock);
    free(in);
    return NULL;
}
