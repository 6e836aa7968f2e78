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
    static const char *const letters[] = {".", "X", "O", "#", "@", "?"};
    const char *shape = !colour ? (style->utf8 ? "·" : ".")
                        : style->utf8 && style->colour && colour <= COLOURS_MAX ? "●"
                                                                                : letters[colour];
    if (style->colour && colour == BOARD_COVERED)
        text_put(t, "\033[33m%s\033[0m", shape);
    else if (style->colour && colour)
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

// What stands between two points of a row: a doubt belongs to the one before, brackets to the last
// move.
static void add_gap(struct text *t, const struct board_style *style, bool doubted, bool opens,
                    bool closes)
{
    if (doubted && style->colour)
        text_put(t, "\033[91m?\033[0m");
    else
        text_put(t, "%s", doubted ? "?" : opens ? "(" : closes ? ")" : " ");
}

static void add_row(struct text *t, const struct board_seen *b, const struct board_style *style,
                    int y, const struct move *last)
{
    const int row = y * b->columns;
    text_put(t, "%2d ", y + 1);
    for (int x = 0; x <= b->columns; x++) {
        add_gap(t, style, x > 0 && b->doubted[row + x - 1], last && last->x == x && last->y == y,
                last && last->x == x - 1 && last->y == y);
        if (x < b->columns)
            add_stone(t, style, b->at[row + x]);
    }
    text_put(t, "%d\n", y + 1);
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
static void add_blocks(struct text *t, const struct board_seen *b, const struct board_style *style)
{
    text_put(t, "    block 1  block 2\n");
    for (int y = b->rows - 1; y >= 0; y--) {
        text_put(t, "   ");
        for (int x = 0; x < b->columns; x++) {
            add_gap(t, style, x > 0 && b->doubted[y * b->columns + x - 1], false, false);
            text_put(t, "%s", x == 3 ? "   " : "");
            add_stone(t, style, b->at[y * b->columns + x]);
        }
        if (b->doubted[(y + 1) * b->columns - 1])
            add_gap(t, style, true, false, false);
        text_put(t, y == 3 ? "\n\n" : "\n");
    }
    text_put(t, "    block 3  block 4\n");
}

static void add_board(struct text *t, const struct board_seen *b, const struct board_style *style,
                      const struct move *last)
{
    if (b->blocks) {
        add_blocks(t, b, style);
        return;
    }
    add_columns(t, b->columns);
    for (int y = b->rows - 1; y >= 0; y--)
        add_row(t, b, style, y, last);
    add_columns(t, b->columns);
}

char *board_view_seen(const struct board_seen *seen, const struct board_style *style, char *buf,
                      size_t size)
{
    struct text t = {buf, size, 0};
    buf[0] = 0;
    add_board(&t, seen, style, NULL);
    return buf;
}

char *board_view(const struct game *game, const struct board_style *style, char *buf, size_t size)
{
    struct text t = {buf, size, 0};
    struct board_seen board = {.columns = game->rules.size,
                               .rows = game->rules.size,
                               .blocks = game->rules.family == FAMILY_PENTAGO};
    buf[0] = 0;
    for (int n = 0; n < board.columns * board.rows; n++)
        board.at[n] = (uint8_t)game_at(game, n % board.columns, n / board.columns);
    struct move last = {0};
    if (game->entries > 0)
        last = game_move(game, game->entries - 1u);
    add_board(&t, &board, style, game->entries > 0 && last.kind == MOVE_PLACE ? &last : NULL);
    add_sides(&t, game, style);
    return buf;
}
