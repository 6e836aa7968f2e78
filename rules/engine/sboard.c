#include "rules/engine/sboard.h"

#include <stddef.h>
#include <string.h>

// The loops over lines have constant bounds; unrolled, their shifts and offsets are constant too.
#define UNROLL _Pragma("GCC unroll 8")

const int sb_step[4] = {1, SB_STRIDE, SB_STRIDE + 1, SB_STRIDE - 1};

// Random numbers for the hash, the same in every run: splitmix64 of the index.
static uint64_t key(uint32_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

enum { KEY_TAKEN = 2 * SB_CELLS, KEY_STANDING = KEY_TAKEN + 512 };
#define KEY_SIDE 0x5be0cd19137e2179u
#define KEY_LEFT 0x1f83d9abfb41bd6bu // two stones are left

static uint64_t hash_taken(const uint8_t *taken, const uint8_t *standing)
{
    return key(KEY_TAKEN + taken[0]) ^ key(KEY_TAKEN + 256u + taken[1]) ^
           key(KEY_STANDING + standing[0] + 2u * standing[1]);
}

#define FIELD(shift, bits) ((uint32_t)((1u << (bits)) - 1) << (shift))
#define WIN_ROW_MASK       FIELD(LINE_FIVE_SHIFT, 3)
#define FOUR_MASK          (FIELD(LINE_FOUR_SHIFT, 3) | FIELD(LINE_OPEN_FOUR_SHIFT, 3))
#define THREE_MASK         FIELD(LINE_OPEN_THREE_SHIFT, 3)
#define TAKE_MASK          (FIELD(LINE_PAIR_SHIFT, 4) | FIELD(LINE_TRIPLE_SHIFT, 4))
#define SET_MASK           (WIN_ROW_MASK | FOUR_MASK | THREE_MASK | TAKE_MASK)
#define SET_MASK_BOTH      ((uint64_t)SET_MASK << 32 | SET_MASK)

static inline uint32_t membership(uint32_t counts)
{
    return (uint32_t)((counts & WIN_ROW_MASK) != 0) << SB_WIN_ROW |
           (uint32_t)((counts & FOUR_MASK) != 0) << SB_FOUR |
           (uint32_t)((counts & THREE_MASK) != 0) << SB_THREE |
           (uint32_t)((counts & TAKE_MASK) != 0) << SB_TAKE;
}

// Both numbers of a struct line_value at once.
typedef int64_t pair __attribute__((vector_size(16)));

static inline pair load(const void *from)
{
    pair p;
    memcpy(&p, from, sizeof p);
    return p;
}

// The sets an empty point with such counts is in: bit player · SB_SETS + set.
static inline uint32_t memberships(uint64_t counts)
{
    return membership((uint32_t)counts) | membership((uint32_t)(counts >> 32)) << SB_SETS;
}

static void change_sets(struct sboard *b, int cell, uint64_t old, uint64_t now)
{
    uint32_t bit = (uint32_t)(cell - SB_FIRST), was = memberships(old), is = memberships(now);
    uint64_t flip = (uint64_t)1 << (bit & 63);
    for (uint32_t changed = was ^ is; changed; changed &= changed - 1) {
        int i = __builtin_ctz(changed), player = i / SB_SETS, set = i % SB_SETS;
        b->sets.set[player][set][bit >> 6] ^= flip;
        b->sets.count[player][set] += (is >> i & 1) ? 1 : -1;
    }
}

// What change_line needs and leaves behind. (The tables come by pointers of their own: the compiler
// can't know that the stores below leave b->table alone.)
struct line_change {
    const uint16_t *ids;
    const struct line_value *values;
    const int64_t *worths;
    struct sb_seen *seen; // where to keep what was there before, or NULL
    int64_t totals;
    int count; // points whose sets change; each sees the stone in one direction only
    struct {
        const struct sb_point *point;
        uint64_t old;
    } changed[SB_SEEN_MAX + 1]; // (a slot is written before it is known whether it counts)
};

// XORs `value` into the code of the line through a point in direction d; k numbers the lines that
// see a stone. There are no branches: which way they go would be different every time, and a wrong
// guess costs more than all the work here. So occupied points and those of the margin are kept up
// too, but all of their codes mean nothing.
static inline __attribute__((always_inline)) void change_line(struct sb_point *p, int d,
                                                              uint32_t value, uint32_t closed,
                                                              int k, struct line_change *c)
{
    uint32_t code = p->code[d] ^ value;
    uint16_t old_id = p->id[d], new_id = c->ids[code < closed ? code : closed];
    pair old = load(&p->value);
    pair now = old + load(&c->values[new_id]) - load(&c->values[old_id]);
    p->code[d] = code;
    p->id[d] = new_id;
    memcpy(&p->value, &now, sizeof now);
    if (c->seen) {
        memcpy(&c->seen->value[k], &old, sizeof old);
        c->seen->id[k] = old_id;
    }
    c->totals += c->worths[new_id] - c->worths[old_id];
    c->changed[c->count].point = p;
    c->changed[c->count].old = (uint64_t)old[0];
    c->count += ((uint64_t)(old ^ now)[0] & SET_MASK_BOTH) != 0;
}

// XORs `value` into the codes of all cells that see `cell`, and keeps up all that follows.
static inline __attribute__((always_inline)) void
change_seen(struct sboard *b, int cell, uint32_t value, int reach, struct sb_seen *seen)
{
    struct line_change c;
    c.ids = b->table->id;
    c.values = b->table->value;
    c.worths = b->table->worth;
    c.totals = b->totals;
    c.seen = seen;
    c.count = 0;
    int k = 0;
    for (int d = 0; d < 4; d++) {
        ptrdiff_t step = sb_step[d];
        struct sb_point *after = &b->point[cell], *before = after;
        UNROLL for (int j = 1; j <= reach; j++)
        {
            // The one after sees this cell j to its left, the one before j to its right.
            after += step;
            before -= step;
            change_line(after, d, value << 2 * (reach - j), LINE_CLOSED(reach), k++, &c);
            change_line(before, d, value << 2 * (reach + j - 1), LINE_CLOSED(reach), k++, &c);
        }
    }
    b->totals = c.totals;
    for (int i = 0; i < c.count; i++)
        change_sets(b, (int)(c.changed[i].point - b->point), c.changed[i].old,
                    c.changed[i].point->value.counts);
}

// Takes back what change_seen did and kept, all but sets and totals.
static inline __attribute__((always_inline)) void
restore_seen(struct sboard *b, int cell, uint32_t value, int reach, const struct sb_seen *seen)
{
    int k = 0;
    for (int d = 0; d < 4; d++) {
        ptrdiff_t step = sb_step[d];
        struct sb_point *after = &b->point[cell], *before = after;
        UNROLL for (int j = 1; j <= reach; j++)
        {
            after += step;
            before -= step;
            after->code[d] ^= value << 2 * (reach - j);
            after->id[d] = seen->id[k];
            after->value = seen->value[k++];
            before->code[d] ^= value << 2 * (reach + j - 1);
            before->id[d] = seen->id[k];
            before->value = seen->value[k++];
        }
    }
}

// Closes a point: a stone lies there, it is worth nothing any more.
static void close_point(struct sboard *b, int cell)
{
    struct sb_point *p = &b->point[cell];
    uint32_t closed = LINE_CLOSED(b->table->reach);
    for (int d = 0; d < 4; d++)
        b->totals -= b->table->worth[p->id[d]];
    if (p->value.counts & SET_MASK_BOTH)
        change_sets(b, cell, p->value.counts, 0);
    p->value = (struct line_value){0, 0};
    for (int d = 0; d < 4; d++) {
        p->code[d] |= closed;
        p->id[d] = b->table->id[closed];
    }
}

static void open_lines(struct sboard *b, struct sb_point *p)
{
    uint32_t closed = LINE_CLOSED(b->table->reach);
    for (int d = 0; d < 4; d++) {
        p->code[d] &= ~closed;
        p->id[d] = b->table->id[p->code[d]];
        p->value.counts += b->table->value[p->id[d]].counts;
        p->value.scores += b->table->value[p->id[d]].scores;
    }
}

static void open_point(struct sboard *b, int cell)
{
    struct sb_point *p = &b->point[cell];
    open_lines(b, p);
    for (int d = 0; d < 4; d++)
        b->totals += b->table->worth[p->id[d]];
    if (p->value.counts & SET_MASK_BOTH)
        change_sets(b, cell, 0, p->value.counts);
}

static void flip_stone(struct sboard *b, int cell, uint32_t value)
{
    b->rows[sb_y(cell) + 2] ^= 1u << (sb_x(cell) + 2);
    b->hash ^= key((value - 1) * SB_CELLS + (uint32_t)cell);
}

static void change_all(struct sboard *b, int cell, uint32_t value, struct sb_seen *seen)
{
    if (b->table->reach == 4 && seen)
        change_seen(b, cell, value, 4, seen);
    else if (b->table->reach == 4)
        change_seen(b, cell, value, 4, NULL);
    else if (seen)
        change_seen(b, cell, value, 5, seen);
    else
        change_seen(b, cell, value, 5, NULL);
    flip_stone(b, cell, value);
}

// Lays a stone; `seen` as for change_seen.
static void put(struct sboard *b, int cell, int player, struct sb_seen *seen)
{
    b->state[cell] = (uint8_t)(player + 1);
    b->empty--;
    close_point(b, cell);
    change_all(b, cell, (uint32_t)player + 1, seen);
}

static void lift(struct sboard *b, int cell)
{
    int player = b->state[cell] - 1;
    b->state[cell] = 0;
    b->empty++;
    open_point(b, cell);
    change_all(b, cell, (uint32_t)player + 1, NULL);
}

// Takes back a stone laid with `seen`, when all is as it was then; not sets and totals.
static void unput(struct sboard *b, int cell, const struct sb_seen *seen)
{
    uint32_t value = b->state[cell];
    b->state[cell] = 0;
    b->empty++;
    open_lines(b, &b->point[cell]);
    if (b->table->reach == 4)
        restore_seen(b, cell, value, 4, seen);
    else
        restore_seen(b, cell, value, 5, seen);
    flip_stone(b, cell, value);
}

void sb_init(struct sboard *b, const struct sb_rules *rules, const struct line_table *table)
{
    memset(b, 0, sizeof *b);
    b->rules = *rules;
    b->table = table;
    b->winner = -1;
    b->left = 1;
    b->empty = rules->size * rules->size;
    memset(b->state, 3, sizeof b->state);
    for (int cell = 0; cell < SB_CELLS; cell++) {
        for (int d = 0; d < 4; d++) {
            b->point[cell].code[d] = LINE_CLOSED(table->reach);
            b->point[cell].id[d] = table->id[LINE_CLOSED(table->reach)];
        }
    }
    for (int y = 0; y < rules->size; y++)
        for (int x = 0; x < rules->size; x++)
            b->state[sb_cell(x, y)] = 0;
    b->hash = hash_taken(b->taken, b->standing);
    for (int y = 0; y < rules->size; y++) {
        for (int x = 0; x < rules->size; x++) {
            int cell = sb_cell(x, y);
            for (int d = 0; d < 4; d++) {
                for (int j = 1; j <= table->reach; j++) {
                    uint32_t left = b->state[cell - j * sb_step[d]];
                    uint32_t right = b->state[cell + j * sb_step[d]];
                    b->point[cell].code[d] |= left << 2 * (table->reach - j);
                    b->point[cell].code[d] |= right << 2 * (table->reach + j - 1);
                }
            }
            open_point(b, cell);
        }
    }
}

// Whether a winning row of `player` runs through `cell` in direction d; its ends are returned.
static int row_through(const struct sboard *b, int cell, int d, int player, int *first, int *last)
{
    int step = sb_step[d], own = player + 1, a = cell, z = cell;
    while (b->state[a - step] == own)
        a -= step;
    while (b->state[z + step] == own)
        z += step;
    int length = (z - a) / step + 1;
    *first = a;
    *last = z;
    return b->rules.line.exact ? length == b->rules.line.win_length
                               : length >= b->rules.line.win_length;
}

// Whether one enemy stone would capture the stone on `cell`.
static int can_be_taken(const struct sboard *b, int cell)
{
    int own = b->state[cell], enemy = 3 - own;
    for (int d = 0; d < 4; d++) {
        int step = sb_step[d], a = cell, z = cell;
        while (b->state[a - step] == own)
            a -= step;
        while (b->state[z + step] == own)
            z += step;
        int length = (z - a) / step + 1;
        if (!(b->rules.line.pairs && length == 2) && !(b->rules.line.triples && length == 3))
            continue;
        int left = b->state[a - step], right = b->state[z + step];
        if ((left == enemy && right == 0) || (left == 0 && right == enemy))
            return 1;
    }
    return 0;
}

// Boat: whether every winning row through `cell` has a stone that can be captured.
static int rows_breakable(const struct sboard *b, int cell, int player)
{
    for (int d = 0; d < 4; d++) {
        int first, last, weak = 0;
        if (!row_through(b, cell, d, player, &first, &last))
            continue;
        for (int at = first; at != last + sb_step[d]; at += sb_step[d])
            weak |= can_be_taken(b, at);
        if (!weak)
            return 0;
    }
    return 1;
}

// Whether any winning row of `player` stands on the board.
static int row_stands(const struct sboard *b, int player)
{
    for (int y = 0; y < b->rules.size; y++) {
        for (int x = 0; x < b->rules.size; x++) {
            int cell = sb_cell(x, y), first, last;
            if (b->state[cell] != player + 1)
                continue;
            for (int d = 0; d < 4; d++)
                if (b->state[cell - sb_step[d]] != player + 1 &&
                    row_through(b, cell, d, player, &first, &last))
                    return 1;
        }
    }
    return 0;
}

void sb_set(struct sboard *b, const uint8_t *stones, const int taken[2], int side, int left)
{
    int size = b->rules.size;
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            int cell = sb_cell(x, y), want = stones[y * size + x];
            if (b->state[cell] == want)
                continue;
            if (b->state[cell])
                lift(b, cell);
            if (want)
                put(b, cell, want - 1, NULL);
        }
    }
    b->hash ^= hash_taken(b->taken, b->standing);
    for (int p = 0; p < 2; p++) {
        b->taken[p] = (uint8_t)(taken[p] > 255 ? 255 : taken[p]);
        b->standing[p] = (uint8_t)(b->rules.boat && row_stands(b, p));
    }
    b->hash ^= hash_taken(b->taken, b->standing);
    if (b->side != side)
        b->hash ^= KEY_SIDE;
    if ((b->left == 2) != (left == 2))
        b->hash ^= KEY_LEFT;
    b->side = side;
    b->left = left;
    b->winner = -1;
    b->depth = 0;
}

static void record_removed(const struct sboard *b, struct sb_undo *u, int cell)
{
    u->removed[u->removed_count] = (uint16_t)cell;
    u->removed_owner[u->removed_count++] = (uint8_t)(b->state[cell] - 1);
}

// Lists what the stone just put on `cell` captures. All directions are judged on one position.
static void find_captures(const struct sboard *b, int cell, int player, struct sb_undo *u)
{
    int own = player + 1, enemy = 2 - player;
    for (int k = 0; k < 8; k++) {
        int step = k < 4 ? sb_step[k] : -sb_step[k - 4], run = 0;
        while (run < 4 && b->state[cell + (run + 1) * step] == enemy)
            run++;
        if (!(run == 2 && b->rules.line.pairs) && !(run == 3 && b->rules.line.triples))
            continue;
        if (b->state[cell + (run + 1) * step] != own)
            continue;
        for (int i = 1; i <= run; i++)
            record_removed(b, u, cell + i * step);
    }
}

// Poof: lists the own stones lost with the stone just put on `cell`, it first. Returns how many.
static int find_poofed(const struct sboard *b, int cell, int player, struct sb_undo *u)
{
    int own = player + 1, enemy = 2 - player, lost = 0;
    for (int d = 0; d < 4; d++) {
        int step = sb_step[d], a = cell, z = cell;
        while (b->state[a - step] == own)
            a -= step;
        while (b->state[z + step] == own)
            z += step;
        int length = (z - a) / step + 1;
        if (!(length == 2 && b->rules.line.pairs) && !(length == 3 && b->rules.line.triples))
            continue;
        if (b->state[a - step] != enemy || b->state[z + step] != enemy)
            continue;
        if (!lost) {
            record_removed(b, u, cell);
            lost = 1;
        }
        for (int at = a; at != z + step; at += step) {
            if (at == cell)
                continue;
            record_removed(b, u, at);
            lost++;
        }
    }
    return lost;
}

static int makes_row(const struct sboard *b, int cell, int player)
{
    int first, last;
    for (int d = 0; d < 4; d++)
        if (row_through(b, cell, d, player, &first, &last))
            return 1;
    return 0;
}

// Who has won by the move just made, in the order the rules give.
static int judge(struct sboard *b, int cell, int player)
{
    int other = 1 - player, goal = b->rules.goal;
    int survived = b->state[cell] == player + 1;
    if (b->rules.boat) {
        if (b->standing[other]) {
            if (row_stands(b, other))
                return other;
            b->standing[other] = 0;
        }
        if (survived && makes_row(b, cell, player)) {
            if (!rows_breakable(b, cell, player))
                return player;
            b->standing[player] = 1;
        }
    }
    if (b->rules.poof) {
        int high = b->taken[0] > b->taken[1] ? 0 : 1;
        if (b->taken[0] != b->taken[1] && goal && b->taken[high] >= goal)
            return high;
    } else if (goal && b->taken[player] >= goal) {
        return player;
    }
    if (!b->rules.boat && survived && makes_row(b, cell, player))
        return player;
    return b->empty == 0 ? 2 : -1;
}

// The turn goes on with another stone or passes to the other side.
static void end_stone(struct sboard *b)
{
    int left = b->left == 2 ? 1 : b->rules.line.two_a_turn ? 2 : 1;
    if (b->left == 1) {
        b->side = 1 - b->side;
        b->hash ^= KEY_SIDE;
    }
    if (left != b->left)
        b->hash ^= KEY_LEFT;
    b->left = left;
}

void sb_make(struct sboard *b, int cell)
{
    struct sb_undo *u = &b->undo[b->depth++];
    int player = b->side;
    uint32_t counts = sb_counts(b, player, cell);
    u->cell = (uint16_t)cell;
    u->removed_count = 0;
    u->winner = b->winner;
    u->left = (uint8_t)b->left;
    memcpy(u->taken, b->taken, sizeof u->taken);
    memcpy(u->standing, b->standing, sizeof u->standing);
    u->totals = b->totals;
    u->hash = b->hash;
    u->sets = b->sets;
    put(b, cell, player, &u->seen);
    int special = b->rules.poof || b->rules.boat;
    if ((counts & TAKE_MASK) || special) {
        b->hash ^= hash_taken(b->taken, b->standing);
        if (counts & TAKE_MASK)
            find_captures(b, cell, player, u);
        int captured = u->removed_count;
        int poofed = b->rules.poof ? find_poofed(b, cell, player, u) : 0;
        for (int i = 0; i < u->removed_count; i++)
            lift(b, u->removed[i]);
        b->taken[player] = (uint8_t)(b->taken[player] + captured);
        b->taken[1 - player] = (uint8_t)(b->taken[1 - player] + poofed);
        b->winner = (int8_t)judge(b, cell, player);
        b->hash ^= hash_taken(b->taken, b->standing);
    } else if (counts & WIN_ROW_MASK) {
        b->winner = (int8_t)player;
    } else if (b->empty == 0) {
        b->winner = 2;
    }
    end_stone(b);
}

void sb_unmake(struct sboard *b)
{
    const struct sb_undo *u = &b->undo[--b->depth];
    if (u->left == 1)
        b->side = 1 - b->side;
    b->left = u->left;
    for (int i = u->removed_count - 1; i >= 0; i--)
        put(b, u->removed[i], u->removed_owner[i], NULL);
    unput(b, u->cell, &u->seen);
    memcpy(b->taken, u->taken, sizeof b->taken);
    memcpy(b->standing, u->standing, sizeof b->standing);
    b->totals = u->totals;
    b->hash = u->hash;
    b->sets = u->sets;
    b->winner = u->winner;
}

void sb_pass(struct sboard *b)
{
    b->side = 1 - b->side;
    b->hash ^= KEY_SIDE;
}

int sb_wins_at(struct sboard *b, int player, int cell)
{
    uint32_t counts = sb_counts(b, player, cell);
    if (!b->rules.poof && !b->rules.boat)
        return (counts & WIN_ROW_MASK) ||
               (b->rules.goal && (counts & TAKE_MASK) &&
                b->taken[player] + sb_takes_at(b, player, cell) >= b->rules.goal);
    if (!(counts & (WIN_ROW_MASK | TAKE_MASK)) && !b->standing[player])
        return 0;
    if (b->depth >= SB_DEPTH_MAX)
        return 0;
    int turn = b->side != player;
    if (turn)
        sb_pass(b);
    sb_make(b, cell);
    int won = b->winner == player;
    sb_unmake(b);
    if (turn)
        sb_pass(b);
    return won;
}

int sb_members(const struct sboard *b, int player, enum sb_set set, int limit, uint16_t *cells)
{
    int count = 0;
    if (!b->sets.count[player][set])
        return 0;
    for (int w = 0; w < SB_WORDS; w++) {
        for (uint64_t bits = b->sets.set[player][set][w]; bits; bits &= bits - 1) {
            if (count == limit)
                return count;
            cells[count++] = (uint16_t)(SB_FIRST + w * 64 + __builtin_ctzll(bits));
        }
    }
    return count;
}

int sb_winning_cells(struct sboard *b, int player, int limit, uint16_t *cells)
{
    int special = b->rules.poof || b->rules.boat, count = 0;
    int near =
        b->rules.goal && b->sets.count[player][SB_TAKE] && b->taken[player] + 24 >= b->rules.goal;
    if (!b->sets.count[player][SB_WIN_ROW] && !near)
        return 0;
    for (int w = 0; w < SB_WORDS; w++) {
        uint64_t bits = b->sets.set[player][SB_WIN_ROW][w], rows = special ? 0 : bits;
        if (near)
            bits |= b->sets.set[player][SB_TAKE][w];
        for (; bits; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits), cell = SB_FIRST + w * 64 + bit;
            if (!(rows >> bit & 1) && !sb_wins_at(b, player, cell))
                continue;
            if (count == limit)
                return count;
            cells[count++] = (uint16_t)cell;
        }
    }
    return count;
}
