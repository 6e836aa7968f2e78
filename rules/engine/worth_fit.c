// worth-fit: makes worth_pente.bin out of positions that worth-games wrote.
//
//   worth-fit [ROUNDS] < samples > worth_pente.bin
//
// A logistic regression (value / 180 = log odds of a win). What a position is really worth is taken
// from the search's value and, where known, the game's end, half and half. Each line's worth is the
// sum of that of its class (all codes whose ids in the line table are the same) and its own, so
// that a rare line is worth what its class is. Each number's step shrinks with the squares of the
// steps it has made (J. Duchi and others, "Adaptive subgradient methods", 2011). One position of 20
// is kept apart to see what was learned: its mean log likelihood is printed after each round.
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/rng.h"
#include "rules/engine/search.h"
#include "rules/engine/worth.h"
#include "rules/engine/worth_sample.h"

enum {
    ROUNDS = 16,
    TEST_PART = 20,
    LINES_MAX = 1444, // four through each point
    GLOBALS = sizeof(struct worth) / sizeof(int16_t) - WORTH_CODES,
    CLASSES_MAX = 4096,
    NUMBERS = CLASSES_MAX + WORTH_CODES + GLOBALS,
    ACTIVE_MAX = 2 * LINES_MAX + 2 * WORTH_SETS + 4,
};
#define STEP      0.005
#define SCALE     180.0
#define CERTAIN   0.985 // what a proved value counts as
#define OUTCOME   0.5   // the part of the game's end
#define OWN_START 30.0  // how slowly a line departs from its class

// A position as the numbers it is the sum of.
struct features {
    uint16_t *active;
    int count;
    float target;
};

struct fit {
    struct line_table *table;
    uint16_t number[LINE_CLOSED(WORTH_REACH)];
    uint16_t class_of[WORTH_CODES];
    uint8_t empty[WORTH_CODES]; // a line without stones: worth nothing to either side
    int classes;
    double weight[NUMBERS], square[NUMBERS];
    struct sboard board;
    struct features *position;
    size_t count;
};

// Where the number of a field of struct worth stands among all numbers.
static const struct worth map;

static uint16_t place(const int16_t *field)
{
    ptrdiff_t bytes = (const char *)field - (const char *)&map;
    return (uint16_t)(CLASSES_MAX + bytes / (ptrdiff_t)sizeof(int16_t));
}

static int has_stones(uint32_t code)
{
    uint32_t low = code & 0x5555, high = code >> 1 & 0x5555;
    return (low ^ high) != 0;
}

// Groups the codes by their ids, made without regard to what was learned before.
static void classify(struct fit *f)
{
    static int64_t counts[CLASSES_MAX], scores[CLASSES_MAX];
    worth_number(f->number);
    for (uint32_t code = 0; code < LINE_CLOSED(WORTH_REACH); code++) {
        if (f->number[code] == WORTH_NO_CODE)
            continue;
        const struct line_value *v = &f->table->value[f->table->id[code]];
        int c = 0;
        while (c < f->classes && (counts[c] != (int64_t)v->counts || scores[c] != v->scores))
            c++;
        if (c == f->classes) {
            counts[c] = (int64_t)v->counts;
            scores[c] = v->scores;
            f->weight[c] = (line_score(v->scores, 0) - line_score(v->scores, 1)) * 0.275 / SCALE;
            f->classes++;
        }
        f->class_of[f->number[code]] = (uint16_t)c;
        f->empty[f->number[code]] = !has_stones(code);
    }
}

static int list_lines(const struct fit *f, uint16_t *active)
{
    int count = 0;
    const struct sboard *b = &f->board;
    for (int y = 0; y < SB_SIZE_MAX; y++) {
        for (int x = 0; x < SB_SIZE_MAX; x++) {
            const struct sb_point *p = &b->point[sb_cell(x, y)];
            for (int d = 0; d < 4 && p->code[d] < LINE_CLOSED(WORTH_REACH); d++) {
                if (!has_stones(p->code[d]))
                    continue;
                uint16_t number = f->number[b->side ? worth_swap(p->code[d]) : p->code[d]];
                active[count++] = f->class_of[number];
                active[count++] = (uint16_t)(CLASSES_MAX + number);
            }
        }
    }
    return count;
}

static int list_active(const struct fit *f, uint16_t *active)
{
    const struct sboard *b = &f->board;
    int me = b->side, you = 1 - me, count = list_lines(f, active);
    for (int i = 0; i < WORTH_SETS; i++) {
        const int *points = b->sets.count[me], *other = b->sets.count[you];
        active[count++] = place(&map.points[i][0][worth_points(points[SB_FOUR + i])]);
        active[count++] = place(&map.points[i][1][worth_points(other[SB_FOUR + i])]);
    }
    int mine = b->taken[me] / 2, yours = b->taken[you] / 2;
    active[count++] = place(&map.taken[mine][yours]);
    active[count++] = place(&map.takes[0][mine][worth_takes(b->sets.count[me][SB_TAKE])]);
    active[count++] = place(&map.takes[1][yours][worth_takes(b->sets.count[you][SB_TAKE])]);
    active[count++] = place(&map.tempo);
    return count;
}

static int read_position(struct fit *f, const struct worth_sample *s)
{
    uint16_t active[ACTIVE_MAX];
    const int taken[2] = {s->taken[0], s->taken[1]};
    sb_set(&f->board, s->stones, taken, s->side, 1);
    struct features *p = &f->position[f->count];
    p->count = list_active(f, active);
    p->active = malloc((size_t)p->count * sizeof *active);
    if (!p->active)
        return -ENOMEM;
    memcpy(p->active, active, (size_t)p->count * sizeof *active);
    double seen = abs(s->score) > SEARCH_PROVEN ? (s->score > 0 ? CERTAIN : 1 - CERTAIN)
                                                : 1 / (1 + exp(-s->score / SCALE));
    double end = s->outcome == WORTH_OPEN ? seen : s->outcome == WORTH_WON;
    p->target = (float)(OUTCOME * end + (1 - OUTCOME) * seen);
    f->count++;
    return 0;
}

static int read_all(struct fit *f)
{
    struct worth_sample sample;
    size_t room = 0;
    while (fread(&sample, sizeof sample, 1, stdin) == 1) {
        if (f->count == room) {
            room = room ? 2 * room : 1 << 16;
            struct features *more = realloc(f->position, room * sizeof *more);
            if (!more)
                return -ENOMEM;
            f->position = more;
        }
        int bad = 0;
        for (size_t i = 0; i < sizeof sample.stones; i++)
            bad |= sample.stones[i] > 2;
        if (bad || sample.side > 1 || sample.taken[0] >= worth_rules.goal ||
            sample.taken[1] >= worth_rules.goal)
            return -EINVAL;
        int r = read_position(f, &sample);
        if (r < 0)
            return r;
    }
    return f->count < TEST_PART ? -EINVAL : 0;
}

static double chance(const struct fit *f, const struct features *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        sum += f->weight[p->active[i]];
    return 1 / (1 + exp(-sum));
}

static void learn(struct fit *f, const struct features *p, double step)
{
    double error = p->target - chance(f, p);
    for (int i = 0; i < p->count; i++) {
        double *square = &f->square[p->active[i]];
        *square += error * error;
        f->weight[p->active[i]] += step * error / sqrt(*square);
    }
}

static double mean_likelihood(const struct fit *f, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++) {
        double c = chance(f, &f->position[i]), t = f->position[i].target;
        sum += t * log(c) + (1 - t) * log(1 - c);
    }
    return sum / (double)(to - from);
}

// Begins with what points, pairs and the move were worth before anything was learned.
static void begin(struct fit *f)
{
    static const double point[WORTH_SETS][2] = {{35, -42}, {19, -9}, {83, -63}};
    for (int i = 0; i < WORTH_SETS; i++)
        for (int who = 0; who < 2; who++)
            for (int n = 0; n <= WORTH_POINTS_MAX; n++)
                f->weight[place(&map.points[i][who][n])] = point[i][who] * n / SCALE;
    for (int mine = 0; mine < WORTH_PAIRS; mine++)
        for (int yours = 0; yours < WORTH_PAIRS; yours++)
            f->weight[place(&map.taken[mine][yours])] =
                (34.0 * (mine - yours) + 11.0 * (mine * mine - yours * yours)) / SCALE;
    f->weight[place(&map.tempo)] = 85 / SCALE;
    for (int i = 0; i < NUMBERS; i++)
        f->square[i] = i >= CLASSES_MAX && i < CLASSES_MAX + WORTH_CODES ? OWN_START : 1;
}

static void train(struct fit *f, int rounds)
{
    struct rng rng;
    size_t train = f->count - f->count / TEST_PART;
    rng_seed(&rng, 1);
    fprintf(stderr, "%zu positions; before: %.5f\n", f->count, mean_likelihood(f, train, f->count));
    for (int round = 0; round < rounds; round++) {
        for (size_t i = train - 1; i > 0; i--) {
            size_t k = rng_below(&rng, (uint32_t)i + 1);
            struct features other = f->position[i];
            f->position[i] = f->position[k];
            f->position[k] = other;
        }
        for (size_t i = 0; i < train; i++)
            learn(f, &f->position[i], STEP);
        fprintf(stderr, "round %d: %.5f (learned from: %.5f)\n", round + 1,
                mean_likelihood(f, train, f->count), mean_likelihood(f, 0, train / TEST_PART));
    }
}

static int16_t rounded(double weight)
{
    double units = weight * SCALE * WORTH_UNIT;
    return (int16_t)lround(fmax(-32000, fmin(32000, units)));
}

static int write_all(const struct fit *f)
{
    for (int i = 0; i < WORTH_CODES + GLOBALS; i++) {
        double weight = f->weight[CLASSES_MAX + i];
        if (i < WORTH_CODES && f->empty[i])
            weight = 0;
        else if (i < WORTH_CODES)
            weight += f->weight[f->class_of[i]];
        uint16_t number = (uint16_t)rounded(weight);
        putchar(number & 255);
        putchar(number >> 8);
    }
    return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

int main(int argc, char **argv)
{
    static struct fit f;
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS, r = line_table_new(&worth_rules.line, &f.table);
    if (r == 0) {
        sb_init(&f.board, &worth_rules, f.table);
        begin(&f);
        classify(&f);
        r = read_all(&f);
    }
    if (r == 0) {
        train(&f, rounds);
        r = write_all(&f);
    }
    if (r < 0)
        fprintf(stderr, "worth-fit: %s\n", strerror(-r));
    for (size_t i = 0; i < f.count; i++)
        free(f.position[i].active);
    free(f.position);
    line_table_free(f.table);
    return r < 0;
}
