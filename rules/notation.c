// Points and moves as text.
#include "rules/notation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char columns[] = "ABCDEFGHJKLMNOPQRST"; // without I

// OpenSpiel's twist letters, clockwise and anticlockwise, by lane (F5).
static const char openspiel_turns[PENTAGO_BLOCKS][2] = {
    {'t', 's'}, // top left
    {'v', 'u'}, // top right
    {'x', 'w'}, // bottom right
    {'z', 'y'}, // bottom left
};

static bool same_word(const char *text, size_t length, const char *word)
{
    if (length != strlen(word))
        return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)text[i]) != word[i])
            return false;
    return true;
}

// A number of one or two digits without a leading zero, at *at.
static bool read_number(const char *text, size_t length, size_t *at, unsigned *ret)
{
    unsigned number = 0;
    size_t i = *at;
    while (i < length && i < *at + 2 && isdigit((unsigned char)text[i]))
        number = number * 10 + (unsigned)(text[i++] - '0');
    if (i == *at || text[*at] == '0')
        return false;
    *at = i;
    *ret = number;
    return true;
}

static bool read_column(const char *text, size_t length, size_t *at, unsigned *ret)
{
    if (*at >= length || text[*at] == '\0')
        return false;
    const char *found = strchr(columns, toupper((unsigned char)text[*at]));
    if (!found)
        return false;
    *ret = (unsigned)(found - columns);
    (*at)++;
    return true;
}

bool point_parse(const char *text, size_t length, struct point *ret)
{
    unsigned column, row;
    size_t at = 0;
    bool letter_first = length > 0 && isalpha((unsigned char)text[0]);
    bool read =
        letter_first
            ? read_column(text, length, &at, &column) && read_number(text, length, &at, &row)
            : read_number(text, length, &at, &row) && read_column(text, length, &at, &column);
    if (!read || at != length || row > BOARD_SIZE_MAX)
        return false;
    *ret = (struct point){(int8_t)column, (int8_t)(row - 1)};
    return true;
}

char *point_format(struct point p, char *buf)
{
    if (p.x < 0 || p.x >= BOARD_SIZE_MAX || p.y < 0 || p.y >= BOARD_SIZE_MAX)
        snprintf(buf, MOVE_TEXT_MAX, "(%d,%d)", p.x, p.y);
    else
        snprintf(buf, MOVE_TEXT_MAX, "%c%d", columns[p.x], p.y + 1);
    return buf;
}

bool move_parse_openspiel(const char *text, size_t length, struct move *ret)
{
    if (length != 3)
        return false;
    int x = tolower((unsigned char)text[0]) - 'a', y = '6' - text[1];
    if (x < 0 || x >= 6 || y < 0 || y >= 6)
        return false;
    for (unsigned lane = 0; lane < PENTAGO_BLOCKS; lane++)
        for (unsigned i = 0; i < 2; i++)
            if (tolower((unsigned char)text[2]) == openspiel_turns[lane][i]) {
                *ret = move_twist(0, x, y, (int)pentago_block(lane),
                                  i == 0 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE);
                return true;
            }
    return false;
}

char *move_format_openspiel(struct move move, char *buf)
{
    if (move.block < 1 || move.block > PENTAGO_BLOCKS)
        return NULL;
    unsigned lane = pentago_lane((unsigned)move.block);
    snprintf(buf, MOVE_TEXT_MAX, "%c%c%c", 'a' + move.x, '6' - move.y,
             openspiel_turns[lane][move.turn != PENTAGO_CLOCKWISE]);
    return buf;
}

// "2/5", "2/4 1R".
static bool parse_booklet(const char *text, size_t length, struct move *ret)
{
    if (length < 3 || text[1] != '/' || text[0] < '1' || text[0] > '4' || text[2] < '1' ||
        text[2] > '9')
        return false;
    int block = text[0] - '1', position = text[2] - '1';
    int x = block % 2 * 3 + position % 3, y = 5 - (block / 2 * 3 + position / 3);
    size_t at = 3;
    while (at < length && text[at] == ' ')
        at++;
    if (at == length && at == 3) {
        *ret = move_twist(0, x, y, 0, 0);
        return true;
    }
    if (at == 3 || at + 2 != length || !isdigit((unsigned char)text[at]))
        return false;
    int letter = toupper((unsigned char)text[at + 1]);
    if (letter != 'R' && letter != 'L')
        return false;
    // A block that does not exist is a move all the same: game_play refuses it with its reason.
    int turned = text[at] - '0';
    *ret = move_twist(0, x, y, turned ? turned : 9,
                      letter == 'R' ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE);
    return true;
}

static bool parse_pair(const char *text, size_t length, struct move *ret)
{
    const char *plus = memchr(text, '+', length);
    struct point a, b;
    if (!plus || !point_parse(text, (size_t)(plus - text), &a) ||
        !point_parse(plus + 1, length - (size_t)(plus - text) - 1, &b))
        return false;
    *ret = move_pair(0, a, b);
    return true;
}

bool move_parse(const struct variant *variant, const char *text, size_t length, struct move *ret)
{
    static const struct {
        const char *word;
        enum move_kind kind;
    } words[] = {{"first", MOVE_FIRST},
                 {"second", MOVE_SECOND},
                 {"pass", MOVE_PASS},
                 {"resign", MOVE_RESIGN},
                 {"draw", MOVE_DRAW}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (same_word(text, length, words[i].word)) {
            *ret = move_choice(words[i].kind);
            return true;
        }
    if (variant->family == FAMILY_PENTAGO)
        return parse_booklet(text, length, ret) || move_parse_openspiel(text, length, ret);
    struct point p;
    if (variant->connect6 && parse_pair(text, length, ret))
        return true;
    if (!point_parse(text, length, &p))
        return false;
    *ret = move_place(0, p.x, p.y);
    return true;
}

static char *format_booklet(struct move move, char *buf)
{
    int row = 5 - move.y;
    int block = row / 3 * 2 + move.x / 3 + 1, position = row % 3 * 3 + move.x % 3 + 1;
    if (move.block == 0)
        snprintf(buf, MOVE_TEXT_MAX, "%d/%d", block, position);
    else
        snprintf(buf, MOVE_TEXT_MAX, "%d/%d %d%c", block, position, move.block,
                 move.turn == PENTAGO_CLOCKWISE ? 'R' : 'L');
    return buf;
}

char *move_format(const struct variant *variant, struct move move, char *buf)
{
    static const char *const words[] = {[MOVE_FIRST] = "first",
                                        [MOVE_SECOND] = "second",
                                        [MOVE_PASS] = "pass",
                                        [MOVE_RESIGN] = "resign",
                                        [MOVE_DRAW] = "draw"};
    if (move.kind >= MOVE_FIRST) {
        snprintf(buf, MOVE_TEXT_MAX, "%s", move.kind <= MOVE_DRAW ? words[move.kind] : "?");
        return buf;
    }
    if (variant->family == FAMILY_PENTAGO)
        return format_booklet(move, buf);
    point_format((struct point){move.x, move.y}, buf);
    if (move.kind == MOVE_PAIR) {
        char second[MOVE_TEXT_MAX];
        point_format((struct point){move.x2, move.y2}, second);
        size_t used = strlen(buf);
        snprintf(buf + used, MOVE_TEXT_MAX - used, "+%s", second);
    }
    return buf;
}

bool point_parse_traditional(const char *text, size_t length, unsigned size, struct point *ret)
{
    int x = (int)size / 2, y = (int)size / 2;
    bool horizontal = false, vertical = false;
    size_t at = 0;
    if (length == 1 && text[0] == '0') {
        *ret = (struct point){(int8_t)x, (int8_t)y};
        return true;
    }
    while (at < length) {
        int letter = toupper((unsigned char)text[at++]);
        unsigned distance;
        bool sideways = letter == 'L' || letter == 'R';
        if ((!sideways && letter != 'U' && letter != 'D') || (sideways ? horizontal : vertical) ||
            !read_number(text, length, &at, &distance))
            return false;
        int step = letter == 'R' || letter == 'U' ? (int)distance : -(int)distance;
        if (sideways)
            x += step;
        else
            y += step;
        horizontal |= sideways;
        vertical |= !sideways;
    }
    struct point p = {(int8_t)x, (int8_t)y};
    if (length == 0 || !point_on_board(p, size))
        return false;
    *ret = p;
    return true;
}

char *point_format_traditional(struct point p, unsigned size, char *buf)
{
    int dx = p.x - (int)size / 2, dy = p.y - (int)size / 2, used = 0;
    if (dx == 0 && dy == 0)
        used = snprintf(buf, MOVE_TEXT_MAX, "0");
    if (dx != 0)
        used = snprintf(buf, MOVE_TEXT_MAX, "%c%d", dx < 0 ? 'L' : 'R', dx < 0 ? -dx : dx);
    if (dy != 0)
        snprintf(buf + used, MOVE_TEXT_MAX - (size_t)used, "%c%d", dy < 0 ? 'D' : 'U',
                 dy < 0 ? -dy : dy);
    return buf;
}
