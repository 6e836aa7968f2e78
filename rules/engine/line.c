#include "rules/engine/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/worth.h"

enum {
    REACH_MAX = 5,
    SPAN_MAX = 2 * REACH_MAX + 1,
    EMPTY = 0,
    OFF_BOARD = 3,
    IDS_MAX = 65535,
    ID_SLOTS = 1 << 17, // open addressing, at most half full
};

// While a table is made: the class of a line from one player's side, for every way its points can
// be own, empty or neither (base 3, the left end first).
struct shapes {
    const struct line_rules *rules;
    int reach, span;
    uint8_t *cls;  // enum line_class, 0xff = not yet known
    uint8_t *ways; // how many next stones reach that class's next step
};

static const int class_score[2][LINE_CLASSES] = {
    {0, 0, 4, -1, 18, 50, 125, 150, 400},
    {0, 2, 9, 14, 40, 55, 90, 110, 400}, // two stones a turn: everything is one step nearer
};

enum {
    WAY_SCORE = 1, // for each further way to go on, from two stones on
    PAIR_SCORE = 150,
    TRIPLE_SCORE = 210,
    MENACE_SCORE = 46,
    EXPOSED_SCORE = -50,
};

static int row_through_centre(const uint8_t *own, int reach)
{
    int left = reach, right = reach;
    while (left > 0 && own[left - 1])
        left--;
    while (right < 2 * reach && own[right + 1])
        right++;
    return right - left + 1;
}

static int wins(const struct line_rules *rules, int row)
{
    return rules->exact ? row == rules->win_length : row >= rules->win_length;
}

static uint32_t ternary(const uint8_t *shape, int span)
{
    uint32_t index = 0;
    for (int i = 0; i < span; i++)
        index = index * 3 + shape[i];
    return index;
}

// The class of a line in which the player's stones are 1, empty points 0 and all else 2; the
// player stands on the centre. Each level looks one stone further, so the depth is bounded by the
// number of empty points (at most 10).
static uint8_t classify(struct shapes *s, uint8_t *shape)
{
    uint32_t index = ternary(shape, s->span);
    if (s->cls[index] != 0xff)
        return s->cls[index];
    uint8_t own[SPAN_MAX] = {0};
    for (int i = 0; i < s->span; i++)
        own[i] = shape[i] == 1;
    uint8_t cls = LINE_NONE, ways = 0;
    if (wins(s->rules, row_through_centre(own, s->reach))) {
        cls = LINE_FIVE;
    } else {
        int count[LINE_CLASSES] = {0};
        for (int i = 0; i < s->span; i++) {
            if (shape[i] != EMPTY)
                continue;
            shape[i] = 1;
            count[classify(s, shape)]++;
            shape[i] = EMPTY;
        }
        // The best that one more stone can make, and how often, says what stands here now.
        static const struct {
            uint8_t next, now;
        } step[] = {
            {LINE_OPEN_FOUR, LINE_OPEN_THREE}, {LINE_FOUR, LINE_THREE},
            {LINE_OPEN_THREE, LINE_OPEN_TWO},  {LINE_THREE, LINE_TWO},
            {LINE_OPEN_TWO, LINE_ONE},
        };
        if (count[LINE_FIVE]) {
            cls = count[LINE_FIVE] > 1 ? LINE_OPEN_FOUR : LINE_FOUR;
        } else {
            for (size_t k = 0; k < sizeof step / sizeof *step && !cls; k++) {
                if (count[step[k].next]) {
                    cls = step[k].now;
                    ways = (uint8_t)(count[step[k].next] - 1);
                }
            }
        }
    }
    s->cls[index] = cls;
    s->ways[index] = ways;
    return cls;
}

// One sense of a direction, `side` = +1 or -1: what a stone of `own` on the centre would capture
// and menace, as packed counts. `at` is indexed -reach … reach around the centre.
static uint32_t captures(const struct line_rules *rules, const uint8_t *at, int side, int own)
{
    int enemy = 3 - own, run = 0;
    while (run < 4 && at[side * (run + 1)] == enemy)
        run++;
    int taken = (rules->pairs && run == 2) ? 2 : (rules->triples && run == 3) ? 3 : 0;
    if (!taken)
        return 0;
    int beyond = at[side * (run + 1)];
    if (beyond == own)
        return taken == 2 ? 1u << LINE_PAIR_SHIFT : 1u << LINE_TRIPLE_SHIFT;
    return beyond == EMPTY ? 1u << LINE_MENACE_SHIFT : 0;
}

// Whether a stone of `own` on the centre would stand in a row that one enemy stone captures.
static int exposed(const struct line_rules *rules, const uint8_t *at, int own)
{
    int left = 0, right = 0;
    while (left < 3 && at[-left - 1] == own)
        left++;
    while (right < 3 && at[right + 1] == own)
        right++;
    int row = left + right + 1;
    if (!(rules->pairs && row == 2) && !(rules->triples && row == 3))
        return 0;
    int a = at[-left - 1], b = at[right + 1], enemy = 3 - own;
    return (a == enemy && b == EMPTY) || (a == EMPTY && b == enemy);
}

static void evaluate(struct shapes *s, const uint8_t *line, int own, uint32_t *counts,
                     int32_t *score)
{
    static const int class_shift[LINE_CLASSES] = {
        [LINE_THREE] = LINE_THREE_SHIFT, [LINE_OPEN_THREE] = LINE_OPEN_THREE_SHIFT,
        [LINE_FOUR] = LINE_FOUR_SHIFT,   [LINE_OPEN_FOUR] = LINE_OPEN_FOUR_SHIFT,
        [LINE_FIVE] = LINE_FIVE_SHIFT,
    };
    uint8_t shape[SPAN_MAX];
    for (int i = 0; i < s->span; i++)
        shape[i] = line[i] == EMPTY ? 0 : line[i] == own ? 1 : 2;
    shape[s->reach] = 1;
    uint8_t cls = classify(s, shape);
    *counts = cls >= LINE_THREE ? 1u << class_shift[cls] : 0;
    *score = class_score[s->rules->two_a_turn != 0][cls];
    if (cls >= LINE_TWO)
        *score += WAY_SCORE * s->ways[ternary(shape, s->span)];
    if (!s->rules->pairs && !s->rules->triples)
        return;
    const uint8_t *at = line + s->reach;
    uint32_t taken = captures(s->rules, at, 1, own) + captures(s->rules, at, -1, own);
    int open = exposed(s->rules, at, own);
    *counts += taken + ((uint32_t)open << LINE_EXPOSED_SHIFT);
    *score += (int32_t)(LINE_PAIRS(taken) * PAIR_SCORE + LINE_TRIPLES(taken) * TRIPLE_SCORE +
                        LINE_MENACES(taken) * MENACE_SCORE) +
              open * EXPOSED_SCORE;
}

// The id of a value and a worth, the same for equal ones. Returns -ENOSPC when there are too many.
static int intern(struct line_table *table, uint32_t *slots, const struct line_value *value,
                  int64_t worth)
{
    uint64_t mix = value->counts * 0x9e3779b97f4a7c15u ^ (uint64_t)value->scores;
    mix ^= (uint64_t)worth * 0xd6e8feb86659fd93u;
    mix = (mix ^ mix >> 29) * 0xbf58476d1ce4e5b9u;
    for (uint32_t at = (uint32_t)(mix >> 40);; at++) {
        uint32_t *slot = &slots[at % ID_SLOTS];
        if (!*slot) {
            if (table->ids == IDS_MAX)
                return -ENOSPC;
            table->worth[table->ids] = worth;
            table->value[table->ids++] = *value;
            *slot = (uint32_t)table->ids;
            return table->ids - 1;
        }
        const struct line_value *known = &table->value[*slot - 1];
        if (known->counts == value->counts && known->scores == value->scores &&
            table->worth[*slot - 1] == worth)
            return (int)*slot - 1;
    }
}

// `number` is worth_number's, if anything was learned.
static int64_t worth_of(const struct worth *learned, const uint16_t *number, uint32_t code,
                        const int32_t *score)
{
    if (!learned)
        return line_scores(score[0] - score[1], score[1] - score[0]);
    uint16_t first = number[code], second = number[worth_swap(code)];
    return first == WORTH_NO_CODE ? 0 : line_scores(learned->line[first], learned->line[second]);
}

static int fill(struct line_table *table, struct shapes *shapes, const uint16_t *number,
                uint32_t *slots)
{
    int reach = table->reach;
    for (uint32_t code = 0; code < LINE_CLOSED(reach); code++) {
        uint8_t line[SPAN_MAX] = {0};
        for (int i = 0; i < reach && i < REACH_MAX; i++) {
            line[i] = (uint8_t)(code >> 2 * i & 3);
            line[reach + 1 + i] = (uint8_t)(code >> 2 * (reach + i) & 3);
        }
        uint32_t counts[2];
        int32_t score[2];
        for (int player = 0; player < 2; player++)
            evaluate(shapes, line, player + 1, &counts[player], &score[player]);
        struct line_value value = {(uint64_t)counts[1] << 32 | counts[0],
                                   line_scores(score[0], score[1])};
        int id = intern(table, slots, &value, worth_of(table->learned, number, code, score));
        if (id < 0)
            return id;
        table->id[code] = (uint16_t)id;
    }
    const struct line_value nothing = {0, 0};
    int id = intern(table, slots, &nothing, 0);
    table->id[LINE_CLOSED(reach)] = (uint16_t)id;
    return id < 0 ? id : 0;
}

int line_table_new(const struct line_rules *rules, struct line_table **ret)
{
    if (rules->win_length < 3 || rules->win_length > 6 || (rules->exact && rules->win_length > 5))
        return -EINVAL;
    struct line_table *table = calloc(1, sizeof *table);
    if (!table)
        return -ENOMEM;
    table->rules = *rules;
    // An exact five must see the sixth stone; a six must see five to each side.
    table->reach = rules->exact || rules->win_length == 6 ? 5 : 4;
    struct shapes shapes = {.rules = rules, .reach = table->reach, .span = 2 * table->reach + 1};
    size_t states = 1;
    for (int i = 0; i < shapes.span; i++)
        states *= 3;
    shapes.cls = malloc(states);
    shapes.ways = calloc(states, 1);
    uint32_t *slots = calloc(ID_SLOTS, sizeof *slots);
    uint16_t *number = calloc(LINE_CLOSED(WORTH_REACH), sizeof *number);
    table->id = calloc(LINE_CLOSED(table->reach) + 1, sizeof *table->id);
    table->value = calloc(IDS_MAX, sizeof *table->value);
    table->worth = calloc(IDS_MAX, sizeof *table->worth);
    int r = -ENOMEM;
    if (shapes.cls && shapes.ways && slots && number && table->id && table->value && table->worth)
        r = worth_knows(rules) ? worth_new(&table->learned) : 0;
    if (r == 0) {
        memset(shapes.cls, 0xff, states);
        worth_number(number);
        r = fill(table, &shapes, number, slots);
    }
    free(number);
    free(shapes.cls);
    free(shapes.ways);
    free(slots);
    if (r < 0) {
        line_table_free(table);
        return r;
    }
    struct line_value *fit = realloc(table->value, (size_t)table->ids * sizeof *fit);
    if (fit)
        table->value = fit;
    int64_t *worth = realloc(table->worth, (size_t)table->ids * sizeof *worth);
    if (worth)
        table->worth = worth;
    *ret = table;
    return 0;
}

struct line_table *line_table_free(struct line_table *table)
{
    if (!table)
        return NULL;
    free(table->id);
    free(table->value);
    free(table->worth);
    worth_free(table->learned);
    free(table);
    return NULL;
}
