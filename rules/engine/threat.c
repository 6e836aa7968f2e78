#include "rules/engine/threat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_MAX = 64,
    REPLIES_MAX = 48,
    POLL_EVERY = 128, // nodes
};

struct candidate {
    uint16_t cell;
    int16_t order;
};

int threat_init(struct threat *threat, uint32_t slots)
{
    memset(threat, 0, sizeof *threat);
    threat->entry = calloc(slots, sizeof *threat->entry);
    if (!threat->entry)
        return -ENOMEM;
    threat->slots = slots;
    return 0;
}

void threat_done(struct threat *threat)
{
    free(threat->entry);
    threat->entry = NULL;
}

void threat_forget(struct threat *threat)
{
    memset(threat->entry, 0, threat->slots * sizeof *threat->entry);
}

static int out_of_budget(struct threat *t)
{
    if (t->nodes >= t->node_limit || (t->poll && t->nodes % POLL_EVERY == 0 && t->poll(t->user)))
        t->exhausted = 1;
    return t->exhausted;
}

// Whether `cell` may make a threat: it makes a four, captures (which can also open a row), or
// menaces the captures that are still missing.
static int order_of(const struct sboard *b, int player, int cell)
{
    uint32_t counts = sb_counts(b, player, cell), enemy = sb_counts(b, 1 - player, cell);
    int fours = (int)LINE_FOURS(counts), open = (int)LINE_OPEN_FOURS(counts);
    int order = 400 * open + (fours > 1 ? 300 : 100 * fours) + 40 * (int)LINE_OPEN_THREES(counts) +
                12 * (int)LINE_THREES(counts) + 90 * sb_takes_at(b, player, cell) +
                10 * sb_takes_at(b, 1 - player, cell) + 8 * (int)LINE_MENACES(counts) -
                20 * (int)LINE_EXPOSED(counts);
    return order + (int)LINE_FOURS(enemy) * 6;
}

static int add_candidate(const struct sboard *b, struct candidate *list, int count, int cell)
{
    for (int i = 0; i < count; i++)
        if (list[i].cell == cell)
            return count;
    if (count == LIST_MAX)
        return count;
    list[count].cell = (uint16_t)cell;
    list[count].order = (int16_t)order_of(b, b->side, cell);
    return count + 1;
}

// Cells that menace captures: no set is kept for them, they matter only near the goal.
static int add_menaces(const struct sboard *b, struct candidate *list, int count, int missing)
{
    for (int y = 0; y < b->rules.size; y++) {
        for (int x = 0; x < b->rules.size; x++) {
            int cell = sb_cell(x, y);
            uint32_t counts = sb_counts(b, b->side, cell);
            int menace = (int)LINE_MENACES(counts);
            if (b->state[cell] || !menace)
                continue;
            if (missing <= 3 * menace || b->sets.count[b->side][SB_TAKE])
                count = add_candidate(b, list, count, cell);
        }
    }
    return count;
}

static void sort(struct candidate *list, int count)
{
    for (int i = 1; i < count; i++) {
        struct candidate c = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].order < c.order; k--)
            list[k] = list[k - 1];
        list[k] = c;
    }
}

static int attacks(struct sboard *b, struct candidate *list)
{
    int player = b->side, count = 0;
    uint16_t cells[LIST_MAX];
    int danger = sb_winning_cells(b, 1 - player, LIST_MAX, cells);
    if (danger) {
        // Only a stone there, or a capture, can stop the other side from winning first.
        for (int i = 0; i < danger; i++)
            count = add_candidate(b, list, count, cells[i]);
    } else {
        int fours = sb_members(b, player, SB_FOUR, LIST_MAX, cells);
        for (int i = 0; i < fours; i++)
            count = add_candidate(b, list, count, cells[i]);
        int missing = b->rules.goal - b->taken[player];
        if (b->rules.goal && missing <= 6)
            count = add_menaces(b, list, count, missing);
    }
    int takes = sb_members(b, player, SB_TAKE, LIST_MAX, cells);
    for (int i = 0; i < takes; i++)
        count = add_candidate(b, list, count, cells[i]);
    sort(list, count);
    return count;
}

static int replies(struct sboard *b, const uint16_t *wins, int win_count, uint16_t *list)
{
    int count = 0;
    uint16_t takes[LIST_MAX];
    int take_count = sb_members(b, b->side, SB_TAKE, LIST_MAX, takes);
    for (int i = 0; i < take_count && count < REPLIES_MAX; i++)
        list[count++] = takes[i];
    for (int i = 0; i < win_count && count < REPLIES_MAX; i++)
        if (!sb_has(b, b->side, SB_TAKE, wins[i]))
            list[count++] = wins[i];
    return count;
}

// Whether the side to move has any candidate at all; may say yes when it has none.
static int may_attack(const struct sboard *b)
{
    return b->sets.count[b->side][SB_FOUR] || b->sets.count[b->side][SB_TAKE] ||
           (b->rules.goal && b->rules.goal - b->taken[b->side] <= 6);
}

static int attack(struct threat *t, struct sboard *b, int moves, uint16_t *ret_cell);

// The attacker has just moved and it is the defender's turn. Returns how many more own moves the
// attacker needs against the best reply, 0 when one reply holds (or nothing was threatened).
static int defend(struct threat *t, struct sboard *b, int moves)
{
    int defender = b->side, attacker = 1 - defender, worst = 1;
    uint16_t wins[REPLIES_MAX], cells[REPLIES_MAX];
    if (sb_winning_cells(b, defender, 1, cells))
        return 0;
    int win_count = sb_winning_cells(b, attacker, REPLIES_MAX, wins);
    if (!win_count || b->empty < 2)
        return 0;
    if (win_count > 1 && !b->sets.count[defender][SB_TAKE] && !b->rules.poof && !b->rules.boat &&
        sb_has(b, attacker, SB_WIN_ROW, wins[0]) && sb_has(b, attacker, SB_WIN_ROW, wins[1]))
        return 1;
    int count = replies(b, wins, win_count, cells);
    // One move is left to the attacker: two wins, or one that can't be parried, are needed.
    for (int i = 0; i < count; i++) {
        if (b->depth >= SB_DEPTH_MAX - 2 || out_of_budget(t))
            return 0;
        uint16_t next;
        t->nodes++;
        sb_make(b, cells[i]);
        int needs = b->winner < 0 ? attack(t, b, moves, &next) : b->winner == attacker ? 1 : 0;
        sb_unmake(b);
        if (!needs)
            return 0;
        worst = needs > worst ? needs : worst;
    }
    return worst;
}

// The attacker is to move. Returns the own moves to a win within `moves`, or 0.
static int attack(struct threat *t, struct sboard *b, int moves, uint16_t *ret_cell)
{
    uint16_t win[1];
    if (sb_winning_cells(b, b->side, 1, win)) {
        *ret_cell = win[0];
        return 1;
    }
    if (moves < 2) {
        t->cut |= may_attack(b);
        return 0;
    }
    struct threat_entry *entry = &t->entry[b->hash & (t->slots - 1)];
    if (entry->hash == b->hash) {
        if (entry->win && entry->win <= moves) {
            *ret_cell = entry->cell;
            return entry->win;
        }
        if (entry->searched >= moves) {
            t->cut |= entry->searched < THREAT_MOVES_MAX;
            return 0;
        }
    }
    int cut = t->cut;
    t->cut = 0;
    struct candidate list[LIST_MAX];
    int count = attacks(b, list), best = 0;
    for (int i = 0; i < count; i++) {
        if (b->depth >= SB_DEPTH_MAX - 2 || out_of_budget(t))
            return best;
        t->nodes++;
        sb_make(b, list[i].cell);
        int needs = b->winner < 0 ? defend(t, b, best ? best - 2 : moves - 1) : 0;
        sb_unmake(b);
        if (needs && (!best || needs + 1 < best)) {
            best = needs + 1;
            *ret_cell = list[i].cell;
            if (best == 2)
                break;
        }
    }
    if (!t->exhausted) {
        uint64_t hash = b->hash;
        if (entry->hash != hash)
            *entry = (struct threat_entry){.hash = hash};
        entry->searched = (uint8_t)(best ? best - 1 : t->cut ? moves : THREAT_MOVES_MAX);
        if (best) {
            entry->win = (uint8_t)best;
            entry->cell = *ret_cell;
        }
    }
    t->cut |= cut;
    return best;
}

int threat_win(struct threat *threat, struct sboard *b, int moves, uint64_t nodes,
               uint16_t *ret_cell)
{
    threat->exhausted = 0;
    threat->node_limit = threat->nodes + nodes;
    if (moves > THREAT_MOVES_MAX)
        moves = THREAT_MOVES_MAX;
    for (int limit = 1; limit <= moves; limit++) {
        threat->cut = 0;
        int win = attack(threat, b, limit, ret_cell);
        // When no line was cut short for want of moves, more moves change nothing.
        if (win || threat->exhausted || !threat->cut)
            return win;
    }
    return 0;
}

int threat_wins_with(struct threat *threat, struct sboard *b, int cell, int moves, uint64_t nodes)
{
    if (sb_wins_at(b, b->side, cell))
        return 1;
    threat->exhausted = 0;
    threat->node_limit = threat->nodes + nodes;
    for (int limit = 2; limit <= moves; limit++) {
        threat->nodes++;
        sb_make(b, cell);
        int needs = b->winner < 0 ? defend(threat, b, limit - 1) : 0;
        sb_unmake(b);
        if (needs)
            return needs + 1;
        if (threat->exhausted)
            return 0;
    }
    return 0;
}
