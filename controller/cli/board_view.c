#include "controller/cli/board_view.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/base/text.h"

struct board_style board_style_for(int fd, const struct colour_names *colours)
{
    const char *no_color = getenv("NO_COLOR");
    bool tty = isatty(fd);
    return (struct board_style){
        .colour = tty && !(no_color && no_color[0]),
        .utf8 = tty && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .colours = *colours,
    };
}

static const char *ansi(const char *name)
{
    static const struct {
        const char *name, *code;
    } codes[] = {
        {"clear", "\033[96m"}, {"white", "\033[97m"}, {"black", "\033[90m"}, {"red", "\033[91m"},
        {"blue", "\033[94m"},  {"green", "\033[92m"}, {"amber", "\033[93m"},
    };
    for (size_t i = 0; name && i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(codes[i].name, name) == 0)
            return codes[i].code;
    }
    return "";
}

// One character wide. Letters differ by colour number, so that they can be told without colours.
static void add_stone(struct text *t, const struct board_style *style, unsigned colour)
{
    static const char *const letters[] = {".", "X", "O", "#", "@"};
    const char *shape = !colour                        ? (style->utf8 ? "·" : ".")
                        : style->utf8 && style->colour ? "●"
                                                       : letters[colour];
    if (style->colour && colour)
        text_put(t, "%s%s\033[0m", ansi(style->colours.name[colour]), shape);
    else if (style->colour)
        text_put(t, "\033[2m%s\033[0m", shape);
    else
        text_put(t, "%s", shape);
}

char *board_legend(const struct board_style *style, unsigned colour, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    add_stone(&t, style, colour);
    text_put(&t, " %s", style->colours.name[colour]);
    return buf;
}

static void add_columns(struct text *t, int size)
{
    text_put(t, "   ");
    for (int x = 0; x < size; x++)
        text_put(t, " %c", 'A' + x + (x >= 8)); // no I
    text_put(t, "\n");
}

static void add_row(struct text *t, const struct game *game, const struct board_style *style, int y,
                    const struct move *last)
{
    text_put(t, "%2d ", y + 1);
    for (int x = 0; x < game->rules.size; x++) {
        bool here = last && last->x == x && last->y == y;
        bool after = last && last->x == x - 1 && last->y == y;
        text_put(t, "%s", here ? "(" : after ? ")" : " ");
        add_stone(t, style, game_at(game, x, y));
    }
    bool at_end = last && last->x == game->rules.size - 1 && last->y == y;
    text_put(t, "%s%d\n", at_end ? ")" : " ", y + 1);
}

// Who plays which stones, and what they have captured where there is capturing.
static void add_sides(struct text *t, const struct game *game, const struct board_style *style)
{
    text_put(t, "   ");
    for (unsigned c = 1; c <= game->rules.colours; c++) {
        text_put(t, "%s", c > 1 ? "   " : " ");
        add_stone(t, style, c);
        text_put(t, " %s", style->colours.name[c]);
        if (game->rules.capture)
            text_put(t, ": %u captured", game->stones_taken[c]);
    }
    text_put(t, "\n");
}

// Pentago's blocks apart, since moves name them.
static void add_blocks(struct text *t, const struct game *game, const struct board_style *style)
{
    text_put(t, "    block 1  block 2\n");
    for (int y = game->rules.size - 1; y >= 0; y--) {
        text_put(t, "   ");
        for (int x = 0; x < game->rules.size; x++) {
            text_put(t, "%s", x == 3 ? "    " : " ");
            add_stone(t, style, game_at(game, x, y));
        }
        text_put(t, y == 3 ? "\n\n" : "\n");
    }
    text_put(t, "    block 3  block 4\n");
}

static void add_points(struct text *t, const struct game *game, const struct board_style *style)
{
    struct move last;
    bool has_last = game->entries > 0;
    if (has_last)
        last = game_move(game, game->entries - 1u);
    has_last = has_last && last.kind == MOVE_PLACE;
    add_columns(t, game->rules.size);
    for (int y = game->rules.size - 1; y >= 0; y--)
        add_row(t, game, style, y, has_last ? &last : NULL);
    add_columns(t, game->rules.size);
}

char *board_view(const struct game *game, const struct board_style *style, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    buf[0] = 0;
    if (game->rules.family == FAMILY_PENTAGO)
        add_blocks(&t, game, style);
    else
        add_points(&t, game, style);
    add_sides(&t, game, style);
    return buf;
}
