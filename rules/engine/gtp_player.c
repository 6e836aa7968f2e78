#include "rules/engine/gtp_player.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"
#include "rules/engine/guest.h"

enum { ANSWER_MAX = 65536, COMMAND_MAX = 4096 };

struct gtp_player {
    struct guest *guest;
    char answer[ANSWER_MAX]; // whole, with its lines
};

int gtp_player_new(const char *launcher, const char *command, struct gtp_player **ret,
                   struct error *err)
{
    struct gtp_player *p = calloc(1, sizeof *p);
    if (!p)
        return error_set(err, -ENOMEM, "There is not enough memory.");
    int r = guest_new(launcher, command, &p->guest, err);
    if (r < 0) {
        free(p);
        return r;
    }
    *ret = p;
    return 0;
}

struct gtp_player *gtp_player_free(struct gtp_player *p)
{
    if (p) {
        guest_free(p->guest, "quit\n");
        free(p);
    }
    return NULL;
}

// Collects the lines of one answer; it ends with an empty one.
static int read_answer(struct gtp_player *p, int64_t end, struct error *err)
{
    const char *line;
    size_t used = 0;
    p->answer[0] = '\0';
    for (;;) {
        int r = guest_line(p->guest, end, &line, err);
        if (r < 0)
            return r;
        if (!*line && used)
            return 0;
        if (!*line)
            continue;
        int n = snprintf(p->answer + used, ANSWER_MAX - used, "%s%s", used ? "\n" : "", line);
        if (n < 0 || (size_t)n >= ANSWER_MAX - used)
            return error_set(err, -EPROTO, "The player's answer is too long.");
        used += (size_t)n;
    }
}

int gtp_player_ask(struct gtp_player *p, int64_t timeout_ns, char *answer, int size,
                   struct error *err, const char *format, ...)
{
    char command[COMMAND_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(command, sizeof command - 1, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof command - 1)
        return error_set(err, -E2BIG, "The command is too long.");
    command[n] = '\n';
    command[n + 1] = '\0';
    int64_t end = clock_monotonic_ns() + timeout_ns;
    int r = guest_send(p->guest, command, err);
    if (r == 0)
        r = read_answer(p, end, err);
    if (r < 0)
        return r;
    char kind = p->answer[0];
    if (kind != '=' && kind != '?')
        return error_set(err, -EPROTO, "The player does not speak GTP: \"%.40s\".", p->answer);
    const char *text = p->answer + 1;
    text += strspn(text, "0123456789");
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    if (kind == '?')
        return error_set(err, -EPROTO, "The player refuses \"%.*s\": %.*s", n < 60 ? n : 60,
                         command, length > 200 ? 200 : (int)length, text);
    if (answer)
        snprintf(answer, (size_t)size, "%.*s", (int)length, text);
    return 0;
}
