// Plays the drawings of tests/positions in all eight symmetries; their README explains them.
#include "tests/unit/rules_data.h"

#include <ctype.h>
#include <dirent.h>

#include "rules/game.h"
#include "rules/notation.h"

enum { NAME_MAX_ = 160, PLAY_MAX = 40 };

struct drawing {
    char name[NAME_MAX_];
    char file[64];
    int line;
    struct variant rules;
    unsigned colour, size, ply;
    bool has_ply, has_after, has_calls, pointed, twisted;
    struct point point;
    int block, turn;
    uint16_t taken[COLOURS_MAX + 1], rows[COLOURS_MAX + 1];
    char board[BOARD_SIZE_MAX][BOARD_SIZE_MAX + 1]; // [y from the bottom][x]
    char after[BOARD_SIZE_MAX][BOARD_SIZE_MAX + 1];
    char plays[PLAY_MAX][MOVE_TEXT_MAX];
    unsigned play_count;
    char tried[MOVE_TEXT_MAX]; // the move as people write it, instead of a drawn one
    char refused[32], says[256];
    unsigned winner, how, calls, next;
    bool over, has_next, has_total, has_scores;
    uint16_t total[COLOURS_MAX + 1], scores[COLOURS_MAX + 1];
};

static struct drawing d; // the drawing at hand

#define BAD(...)                                                                                   \
    do {                                                                                           \
        print_error("%s:%d: %s\n", d.file, d.line, d.name);                                        \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static void read_counters(char *words, uint16_t out[COLOURS_MAX + 1])
{
    char *save, *word = strtok_r(words, " ", &save);
    for (unsigned c = 1; word && c <= COLOURS_MAX; c++, word = strtok_r(NULL, " ", &save))
        out[c] = (uint16_t)atoi(word);
}

static void read_rules(char *words)
{
    char *save, *word = strtok_r(words, " ", &save);
    struct error err;
    if (variant_init(&d.rules, word, &err) != 0)
        BAD("%s", err.text);
    while ((word = strtok_r(NULL, " ", &save))) {
        char *value = word + strcspn(word, "=");
        if (*value)
            *value++ = '\0';
        if (variant_set(&d.rules, word, value, &err) != 0)
            BAD("%s", err.text);
    }
}

static void read_how(char *words, bool win)
{
    static const char *const names[] = {"five",   "captures", "full",  "both",
                                        "length", "resign",   "agreed"};
    char *save, *word = strtok_r(words, " ", &save);
    d.over = true;
    if (win) {
        d.winner = (unsigned)atoi(word);
        word = strtok_r(NULL, " ", &save);
    }
    for (; word; word = strtok_r(NULL, " ", &save)) {
        unsigned i = 0;
        while (i < 7 && strcmp(word, names[i]) != 0)
            i++;
        if (i == 7)
            BAD("no game ends by %s", word);
        d.how |= 1u << i;
    }
}

static void read_calls(char *words)
{
    char *save;
    d.has_calls = true;
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        bool tria = strcmp(word, "tria") == 0, tessera = strcmp(word, "tessera") == 0;
        if (!tria && !tessera && strcmp(word, "none") != 0)
            BAD("nothing is called %s", word);
        d.calls |= tria ? CALL_TRIA : tessera ? CALL_TESSERA : 0u;
    }
}

// An empty board, not drawn.
static void read_size(const char *word)
{
    d.size = (unsigned)atoi(word);
    if (d.size < 1 || d.size > BOARD_SIZE_MAX)
        BAD("no board has %s lines", word);
    for (unsigned y = 0; y < d.size; y++)
        memset(d.board[y], '.', d.size);
}

static void read_plays(char *words)
{
    char *save;
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (d.play_count == PLAY_MAX || strlen(word) >= MOVE_TEXT_MAX)
            BAD("too many moves");
        snprintf(d.plays[d.play_count++], MOVE_TEXT_MAX, "%s", word);
    }
}

static void read_line(char *line)
{
    char *rest = line + strcspn(line, " ");
    if (*rest)
        *rest++ = '\0';
    if (strcmp(line, "rules") == 0)
        read_rules(rest);
    else if (strcmp(line, "move") == 0)
        d.colour = (unsigned)atoi(rest);
    else if (strcmp(line, "ply") == 0) {
        d.has_ply = true;
        d.ply = (unsigned)atoi(rest);
    } else if (strcmp(line, "taken") == 0)
        read_counters(rest, d.taken);
    else if (strcmp(line, "rows") == 0)
        read_counters(rest, d.rows);
    else if (strcmp(line, "twist") == 0) {
        d.twisted = true;
        d.block = rest[0] - '0';
        d.turn = rest[1] == 'R' ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE;
    } else if (strcmp(line, "point") == 0)
        d.pointed = point_parse(rest, strlen(rest), &d.point);
    else if (strcmp(line, "play") == 0)
        read_plays(rest);
    else if (strcmp(line, "refused") == 0)
        snprintf(d.refused, sizeof d.refused, "%s", rest);
    else if (strcmp(line, "says") == 0)
        snprintf(d.says, sizeof d.says, "%s", rest);
    else if (strcmp(line, "try") == 0)
        snprintf(d.tried, sizeof d.tried, "%s", rest);
    else if (strcmp(line, "board") == 0)
        read_size(rest);
    else if (strcmp(line, "wins") == 0 || strcmp(line, "draw") == 0)
        read_how(rest, line[0] == 'w');
    else if (strcmp(line, "calls") == 0)
        read_calls(rest);
    else if (strcmp(line, "next") == 0) {
        d.has_next = true;
        d.next = (unsigned)atoi(rest);
    } else if (strcmp(line, "total") == 0) {
        d.has_total = true;
        read_counters(rest, d.total);
    } else if (strcmp(line, "scores") == 0) {
        d.has_scores = true;
        read_counters(rest, d.scores);
    } else if (strcmp(line, "after") == 0)
        d.has_after = true;
    else
        BAD("no such line: %s", line);
}

static bool is_board_line(const char *line)
{
    return line[0] && strchr(".1234*abcdx@+", line[0]) && (line[1] == ' ' || line[1] == '\0');
}

static struct point mapped(int x, int y, unsigned symmetry)
{
    return point_map((struct point){(int8_t)x, (int8_t)y}, symmetry, d.size);
}

static unsigned colour_before(char sign)
{
    if (sign >= '1' && sign <= '4')
        return (unsigned)(sign - '0');
    if (sign >= 'a' && sign <= 'd')
        return (unsigned)(sign - 'a' + 1);
    return sign == 'x' ? d.colour : 0;
}

static unsigned colour_after(char sign)
{
    if (sign >= '1' && sign <= '4')
        return (unsigned)(sign - '0');
    return sign == '*' ? d.colour : 0;
}

// The first ply from 24 on at which this colour moves.
static unsigned late_ply(unsigned colour)
{
    const struct variant *v = &d.rules;
    for (unsigned ply = 24; ply < 48; ply++) {
        unsigned turn = v->connect6 ? (ply + 1) / 2 % 2 + 1 : v->seats[ply % v->seat_count];
        if (turn == colour)
            return ply;
    }
    BAD("colour %u never moves", colour);
    return 0;
}

static void set_up(struct game *game, unsigned symmetry)
{
    static struct setup setup;
    struct error err;
    setup.stone_count = 0;
    for (int y = 0; y < (int)d.size; y++)
        for (int x = 0; x < (int)d.size; x++) {
            unsigned colour = colour_before(d.board[y][x]);
            if (colour == 0)
                continue;
            setup.stones[setup.stone_count].colour = (uint8_t)colour;
            setup.stones[setup.stone_count++].at = mapped(x, y, symmetry);
        }
    setup.ply = (uint16_t)(d.has_ply || d.tried[0] ? d.ply : late_ply(d.colour));
    memcpy(setup.stones_taken, d.taken, sizeof d.taken);
    memcpy(setup.captures, d.rows, sizeof d.rows);
    if (game_setup(game, &d.rules, &setup, &err) != 0)
        BAD("%s", err.text);
    for (unsigned i = 0; i < d.play_count; i++) {
        struct move move;
        if (!move_parse(&d.rules, d.plays[i], strlen(d.plays[i]), &move))
            BAD("%s is no move", d.plays[i]);
        struct point p = mapped(move.x, move.y, symmetry);
        move.x = p.x;
        move.y = p.y;
        if (game_play(game, move, NULL) != REASON_NONE)
            BAD("%s cannot be played", d.plays[i]);
    }
}

// The block that a block becomes, by where its middle goes.
static int mapped_block(int block, unsigned symmetry)
{
    struct point middle = mapped((block - 1) % 2 * 3 + 1, block <= 2 ? 4 : 1, symmetry);
    return (middle.y < 3 ? 3 : 1) + (middle.x < 3 ? 0 : 1);
}

// What people may write without its being a move of the game is one of no kind.
static struct move tried_move(void)
{
    struct move move;
    if (!move_parse(&d.rules, d.tried, strlen(d.tried), &move))
        move = (struct move){.kind = UINT8_MAX};
    move.colour = (uint8_t)d.colour;
    return move;
}

static struct move drawn_move(unsigned symmetry)
{
    struct point p = d.point;
    for (int y = 0; y < (int)d.size; y++)
        for (int x = 0; x < (int)d.size; x++)
            if (strchr("*@", d.board[y][x])) {
                p = (struct point){(int8_t)x, (int8_t)y};
                d.pointed = true;
            }
    if (!d.pointed)
        BAD("there is no * on the board");
    p = point_on_board(p, d.size) ? mapped(p.x, p.y, symmetry) : p;
    if (!d.twisted)
        return move_place(d.colour, p.x, p.y);
    bool mirrored = symmetry & 4;
    return move_twist(d.colour, p.x, p.y, mapped_block(d.block, symmetry),
                      mirrored ? -d.turn : d.turn);
}

static void expect_set(const char *what, const char *signs, const struct point *got, size_t count,
                       unsigned symmetry)
{
    size_t expected = 0;
    for (int y = 0; y < (int)d.size; y++)
        for (int x = 0; x < (int)d.size; x++) {
            if (!strchr(signs, d.board[y][x]))
                continue;
            struct point p = mapped(x, y, symmetry);
            bool found = false;
            for (size_t i = 0; i < count; i++)
                found |= point_equal(p, got[i]);
            char text[MOVE_TEXT_MAX];
            if (!found)
                BAD("%s: %s is missing (symmetry %u)", what, point_format(p, text), symmetry);
            expected++;
        }
    if (expected != count)
        BAD("%s: %zu points, expected %zu (symmetry %u)", what, count, expected, symmetry);
}

static void expect_calls(const struct effect *effect, unsigned symmetry)
{
    struct point blocks[CALLS_MAX * CALL_POINTS_MAX];
    size_t count = 0;
    if (effect->calls != d.calls)
        BAD("calls are %u, expected %u (symmetry %u)", effect->calls, d.calls, symmetry);
    for (unsigned i = 0; i < effect->call_count; i++)
        for (unsigned j = 0; j < effect->call[i].block_count; j++) {
            bool known = false;
            for (size_t k = 0; k < count; k++)
                known |= point_equal(blocks[k], effect->call[i].blocks[j]);
            if (!known)
                blocks[count++] = effect->call[i].blocks[j];
        }
    expect_set("points that matter", "+", blocks, count, symmetry);
}

static void expect_counters(const char *what, const uint16_t *expected, const uint16_t *got)
{
    for (unsigned c = 1; c <= d.rules.colours; c++)
        if (expected[c] != got[c])
            BAD("%s of colour %u: %u, expected %u", what, c, got[c], expected[c]);
}

static void expect_board(const struct game *game, bool before, unsigned symmetry)
{
    for (int y = 0; y < (int)d.size; y++)
        for (int x = 0; x < (int)d.size; x++) {
            struct point p = mapped(x, y, symmetry);
            char sign = !before && d.has_after ? d.after[y][x] : d.board[y][x];
            unsigned expected = before ? colour_before(sign) : colour_after(sign);
            // Moves that were played before the drawn one are not in the drawing.
            if (d.play_count == 0 && game_at(game, p.x, p.y) != expected)
                BAD("(%d,%d) holds %u, expected %u (symmetry %u)", p.x, p.y,
                    game_at(game, p.x, p.y), expected, symmetry);
        }
}

static void expect_effect(const struct game *game, const struct effect *effect, unsigned symmetry)
{
    expect_set("captured", "abcd", effect->captured, effect->captured_count, symmetry);
    expect_set("poofed", "x@", effect->poofed, effect->poofed_count, symmetry);
    expect_board(game, false, symmetry);
    const struct result *r = &effect->result;
    if (r->over != d.over || r->winner != d.winner || r->how != d.how)
        BAD("over %d winner %u how %u, expected %d %u %u (symmetry %u)", r->over, r->winner, r->how,
            d.over, d.winner, d.how, symmetry);
    if (d.has_calls)
        expect_calls(effect, symmetry);
    if (d.has_next && effect->next_colour != d.next)
        BAD("colour %u moves next, expected %u", effect->next_colour, d.next);
    if (d.has_total)
        expect_counters("stones taken", d.total, effect->stones_taken);
    if (d.has_scores)
        expect_counters("points", d.scores, effect->scores);
}

static void play_drawing(unsigned symmetry)
{
    static struct game game;
    struct effect effect;
    set_up(&game, symmetry);
    uint64_t hash = game_hash(&game);
    assert_true(hash == game_hash_recomputed(&game));
    struct move move = d.tried[0] ? tried_move() : drawn_move(symmetry);
    enum reason reason = game_play(&game, move, &effect);
    if (strcmp(reason_name(reason), d.refused) != 0)
        BAD("refused as \"%s\", expected \"%s\" (symmetry %u)", reason_name(reason), d.refused,
            symmetry);
    if (reason == REASON_NONE) {
        expect_effect(&game, &effect, symmetry);
        assert_true(game_hash(&game) == game_hash_recomputed(&game));
        assert_true(game_undo(&game));
    } else {
        char sentence[256];
        reason_explain(reason, &game, &move, sentence, sizeof sentence);
        assert_in_range(strlen(sentence), 20, sizeof d.says - 2);
        if (symmetry == 0 && d.says[0] && strcmp(sentence, d.says) != 0)
            BAD("says \"%s\",\nexpected \"%s\"", sentence, d.says);
    }
    expect_board(&game, true, symmetry);
    assert_true(game_hash(&game) == hash);
}

static void finish_drawing(unsigned rows, unsigned after_rows)
{
    struct error err;
    if (d.size == 0 || (rows != d.size && (rows != 0 || !d.tried[0])))
        BAD("the board has %u rows of %u points", rows, d.size);
    if (d.has_after && after_rows != d.size)
        BAD("the board after it has %u rows of %u points", after_rows, d.size);
    // Drawn top row first: turn it over.
    for (unsigned y = 0; y < d.size / 2; y++) {
        char row[BOARD_SIZE_MAX + 1];
        memcpy(row, d.board[y], sizeof row);
        memcpy(d.board[y], d.board[d.size - 1 - y], sizeof row);
        memcpy(d.board[d.size - 1 - y], row, sizeof row);
        memcpy(row, d.after[y], sizeof row);
        memcpy(d.after[y], d.after[d.size - 1 - y], sizeof row);
        memcpy(d.after[d.size - 1 - y], row, sizeof row);
    }
    d.rules.size = (uint8_t)d.size;
    if (variant_validate(&d.rules, &err) != 0)
        BAD("%s", err.text);
    unsigned symmetries = d.tried[0] ? 1 : SYMMETRIES;
    for (unsigned symmetry = 0; symmetry < symmetries; symmetry++)
        play_drawing(symmetry);
}

static unsigned play_file(const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", tests_path("positions"), name);
    char *text = read_file(path, NULL);
    unsigned count = 0, rows = 0, after_rows = 0;
    int number = 0;
    memset(&d, 0, sizeof d);
    for (char *at = text, *line; (line = strsep(&at, "\n"));) {
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (strncmp(line, "== ", 3) == 0) {
            if (count++ > 0)
                finish_drawing(rows, after_rows);
            memset(&d, 0, sizeof d);
            rows = after_rows = 0;
            d.line = number;
            snprintf(d.file, sizeof d.file, "%s", name);
            snprintf(d.name, sizeof d.name, "%s", line + 3);
        } else if (is_board_line(line)) {
            unsigned *row = d.has_after ? &after_rows : &rows, x = 0;
            if (*row == BOARD_SIZE_MAX)
                BAD("too many rows");
            for (const char *sign = line; *sign; sign++)
                if (*sign != ' ' && x < BOARD_SIZE_MAX)
                    (d.has_after ? d.after : d.board)[*row][x++] = *sign;
            if (d.size != 0 && x != d.size)
                BAD("row %u has %u points", *row + 1, x);
            d.size = x;
            (*row)++;
        } else {
            read_line(line);
        }
    }
    if (count > 0)
        finish_drawing(rows, after_rows);
    free(text);
    return count;
}

static void all_drawings(void **state)
{
    (void)state;
    DIR *folder = opendir(tests_path("positions"));
    assert_non_null(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0)
            count += play_file(entry->d_name);
    }
    closedir(folder);
    print_message("%u drawn positions, each in %d symmetries\n", count, SYMMETRIES);
    assert_true(count >= 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_drawings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
