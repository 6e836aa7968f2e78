#include "rules/position.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/base/text.h"
#include "rules/notation.h"

static const char glyphs[] = ".1234";

void position_row(const struct game *game, unsigned y, char *buf)
{
    unsigned x = 0;
    for (; x < game->rules.size; x++)
        buf[x] = glyphs[game_at(game, (int)x, (int)y)];
    buf[x] = '\0';
}

static void put_columns(struct text *text, const struct game *game)
{
    text_put(text, "   ");
    for (int x = 0; x < game->rules.size; x++) {
        char point[MOVE_TEXT_MAX];
        if (game->rules.family == FAMILY_PENTAGO)
            text_put(text, " %c", 'a' + x);
        else
            text_put(text, " %c", point_format((struct point){(int8_t)x, 0}, point)[0]);
    }
    text_put(text, "\n");
}

size_t position_draw(const struct game *game, const struct point *last, char *buf, size_t size)
{
    struct text text = {buf, size, 0};
    if (size > 0)
        buf[0] = '\0';
    put_columns(&text, game);
    bool pentago = game->rules.family == FAMILY_PENTAGO;
    for (int y = game->rules.size - 1; y >= 0; y--) {
        // Pentago's machine notation counts rows from the top.
        int label = pentago ? PENTAGO_SIZE - y : y + 1;
        text_put(&text, "%2d ", label);
        for (int x = 0; x < game->rules.size; x++) {
            bool mark = last && last->x == x && last->y == y;
            text_put(&text, "%c%c",
                     mark                                       ? '('
                     : last && last->x == x - 1 && last->y == y ? ')'
                                                                : ' ',
                     glyphs[game_at(game, x, y)]);
        }
        bool close = last && last->x == game->rules.size - 1 && last->y == y;
        text_put(&text, "%c%d\n", close ? ')' : ' ', label);
    }
    put_columns(&text, game);
    return text.length;
}

static int place(struct error *err, int line, int column, const char *text)
{
    return error_set_at(err, -EINVAL, "", line, column, "%s", text);
}

// Reads one line of a drawing into row[]; returns the number of points, -1 after an error.
static int parse_row(const char *text, size_t length, int line, uint8_t row[BOARD_SIZE_MAX],
                     struct error *err)
{
    int count = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '\r' || text[i] == '\t')
            continue;
        const char *glyph = text[i] ? strchr(glyphs, text[i]) : NULL;
        if (!glyph && text[i] != '?')
            return place(err, line, (int)i + 1,
                         "A board is drawn with '.', the digits 1 to 4, and '?'; this is something "
                         "else.");
        if (count == BOARD_SIZE_MAX)
            return place(err, line, (int)i + 1, "A board has at most 19 points in a row.");
        row[count++] = glyph ? (uint8_t)(glyph - glyphs) : SEEN_UNKNOWN;
    }
    return count;
}

int position_parse(const char *text, size_t length, seen_board ret, unsigned *ret_size,
                   struct error *err)
{
    uint8_t rows[BOARD_SIZE_MAX][BOARD_SIZE_MAX];
    int size = 0, lines = 0, line = 0;
    for (const char *end = text + length; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t width = (size_t)((newline ? newline : end) - text);
        uint8_t row[BOARD_SIZE_MAX];
        int count = parse_row(text, width, ++line, row, err);
        if (count < 0)
            return -EINVAL;
        text += width + (newline != NULL);
        if (count == 0)
            continue;
        if (lines == 0)
            size = count;
        if (count != size || lines == size)
            return place(err, line, 1,
                         lines == size ? "There are more rows than columns."
                                       : "This row is longer or shorter than the "
                                         "first one.");
        memcpy(rows[lines++], row, (size_t)count);
    }
    if (lines == 0 || lines != size || size < BOARD_SIZE_MIN)
        return place(err, line, 1, "A board is a square of 5 to 19 rows and as many columns.");
    for (int y = 0; y < size; y++)
        memcpy(ret + y * size, rows[size - 1 - y], (size_t)size);
    *ret_size = (unsigned)size;
    return 0;
}
