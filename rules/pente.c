// The Pente family: laying a stone, captures, poofs, the end of the game, and taking it all back.
//
// A history entry remembers a move in a few bits: per direction how many stones were captured
// (0..3), per axis which own row poofed. Everything else about the move can be derived from that
// and the colours of the captured stones, which are the enemy's when there are two colours and are
// kept on a stack of "spoils" when there are more.
#include "rules/game_internal.h"

// The own row that poofed on an axis: its length, and how many of its stones lie ahead of the new
// one. Three bits of history_entry.poofed hold an index into this list; 0 = none.
static const struct {
    uint8_t length, ahead;
} poof_rows[8] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}, {0, 0}};

static unsigned poof_index(unsigned length, unsigned ahead)
{
    return length * (length - 1) / 2 + 1 + ahead;
}

static void put_stone(struct game *game, unsigned cell, unsigned colour)
{
    game->cells[cell] = (uint8_t)colour;
    game->stones_hash ^= stone_key(cell, colour);
    game->stones++;
}

static void take_stone(struct game *game, unsigned cell)
{
    game->stones_hash ^= stone_key(cell, game->cells[cell]);
    game->cells[cell] = 0;
    game->stones--;
}

// The counters of a colour change together with their part of the hash.
static void add_taken(struct game *game, unsigned colour, int stones, int rows)
{
    uint16_t *taken = &game->stones_taken[colour], *captures = &game->captures[colour];
    game->stones_hash ^= counter_key(colour, *taken, *captures);
    *taken = (uint16_t)(*taken + stones);
    *captures = (uint16_t)(*captures + rows);
    game->stones_hash ^= counter_key(colour, *taken, *captures);
}

// Stones, none of them the mover's, that lie between `cell` and a stone of the mover in one
// direction; 0 unless their number is a capturable length.
static unsigned bracketed(const struct game *game, unsigned cell, int step, unsigned colour)
{
    const uint8_t *at = game->cells + cell + step;
    unsigned length = 0;
    for (; *at != 0 && *at < GAME_BORDER && *at != colour; at += step)
        if (++length > 3)
            return 0;
    return *at == colour && game->rules.capture >> length & 1 ? length : 0;
}

static unsigned find_captures(const struct game *game, unsigned cell, unsigned colour)
{
    unsigned captured = 0;
    for (unsigned d = 0; d < 8; d++) {
        unsigned next = game->cells[(int)cell + direction_step[d]];
        if (next != 0 && next != colour && next != GAME_BORDER)
            captured |= bracketed(game, cell, direction_step[d], colour) << 2 * d;
    }
    return captured;
}

// Own rows of a capturable length, the new stone in them, with an enemy at both ends.
static unsigned find_poofs(const struct game *game, unsigned cell, unsigned colour)
{
    unsigned poofed = 0, enemy = 3 - colour; // poof has two colours
    for (unsigned axis = 0; axis < 4; axis++) {
        int step = direction_step[axis];
        unsigned ahead = 0, behind = 0;
        while (ahead < 3 && game->cells[(int)cell + step * (int)(ahead + 1)] == colour)
            ahead++;
        while (behind < 3 && game->cells[(int)cell - step * (int)(behind + 1)] == colour)
            behind++;
        unsigned length = 1 + ahead + behind;
        if (length <= 3 && game->rules.capture >> length & 1 &&
            game->cells[(int)cell + step * (int)(ahead + 1)] == enemy &&
            game->cells[(int)cell - step * (int)(behind + 1)] == enemy)
            poofed |= poof_index(length, ahead) << 3 * axis;
    }
    return poofed;
}

// Cells of the captured stones, nearest first, direction by direction. Returns their number.
static unsigned captured_cells(const struct history_entry *entry, unsigned out[CAPTURED_MAX])
{
    unsigned count = 0;
    for (unsigned d = 0; d < 8; d++)
        for (int i = 1; i <= (entry->captured >> 2 * d & 3); i++)
            out[count++] = (unsigned)(entry->cell + direction_step[d] * i);
    return count;
}

// Cells of the poofed rows other than the new stone itself.
static unsigned poof_cells(const struct history_entry *entry, unsigned out[POOFED_MAX])
{
    unsigned count = 0;
    for (unsigned axis = 0; axis < 4; axis++) {
        unsigned row = entry->poofed >> 3 * axis & 7;
        for (unsigned i = 0; i < poof_rows[row].length; i++) {
            int offset = (int)poof_rows[row].ahead - (int)i;
            if (offset != 0)
                out[count++] = (unsigned)(entry->cell + direction_step[axis] * offset);
        }
    }
    return count;
}

static void remove_captured(struct game *game, unsigned colour, const struct history_entry *entry)
{
    const struct variant *v = &game->rules;
    for (unsigned d = 0; d < 8; d++) {
        unsigned length = entry->captured >> 2 * d & 3, enemies = 0;
        if (length == 0)
            continue;
        for (unsigned i = 1; i <= length; i++) {
            unsigned cell = (unsigned)(entry->cell + direction_step[d] * (int)i);
            unsigned taken = game->cells[cell];
            enemies += v->sides[taken] != v->sides[colour];
            if (v->colours > 2)
                game->spoils[game->spoil_count++] = (uint8_t)taken;
            take_stone(game, cell);
        }
        // A row counts as one capture whatever stands in it; a partner's stones count for nobody.
        game->friendly[colour] = (uint16_t)(game->friendly[colour] + length - enemies);
        add_taken(game, colour, (int)enemies, 1);
    }
}

static void remove_poofed(struct game *game, unsigned colour, const struct history_entry *entry)
{
    unsigned cells[POOFED_MAX], count = poof_cells(entry, cells);
    for (unsigned i = 0; i < count; i++)
        take_stone(game, cells[i]);
    take_stone(game, entry->cell);
    add_taken(game, 3 - colour, (int)count + 1, 0);
}

static unsigned side_total(const struct game *game, unsigned side)
{
    const struct variant *v = &game->rules;
    const uint16_t *counter = v->goal_unit == GOAL_STONES ? game->stones_taken : game->captures;
    unsigned total = 0;
    for (unsigned c = 1; c <= v->colours; c++)
        if (v->sides[c] == side)
            total += counter[c];
    return total;
}

static void end_game(struct game *game, unsigned winner, unsigned how)
{
    game->result = (struct result){true, (uint8_t)winner, (uint8_t)how};
}

// Side that reached the goal: with poof whoever is ahead, perhaps not the mover (B43).
static unsigned goal_winner(const struct game *game, unsigned mover)
{
    const struct variant *v = &game->rules;
    if (v->goal == 0)
        return 0;
    unsigned side = v->sides[mover];
    unsigned own = side_total(game, side);
    if (!v->poof)
        return own >= v->goal ? side : 0;
    unsigned other = v->sides[3 - mover], theirs = side_total(game, other);
    if (own == theirs || (own < v->goal && theirs < v->goal))
        return 0;
    return own > theirs ? side : other;
}

// Boat: a row of the enemy that still stands wins; then an own row that no capture can break. With
// an exact length, stones that left the board may also have made a winning row of a longer one.
static bool judge_boat(struct game *game, unsigned mover, bool row, bool removed)
{
    unsigned enemy = 3 - mover;
    bool shortened = removed && game->rules.exact;
    bool had_row = row || shortened || game->standing >> mover & 1;
    if ((shortened || game->standing >> enemy & 1) && row_standing(game, enemy, false)) {
        end_game(game, game->rules.sides[enemy], HOW_FIVE);
        return true;
    }
    game->standing = 0;
    if (!had_row)
        return false;
    if (row_standing(game, mover, true)) {
        end_game(game, game->rules.sides[mover], HOW_FIVE);
        return true;
    }
    if (row_standing(game, mover, false))
        game->standing = (uint8_t)(1u << mover);
    return false;
}

static void judge(struct game *game, unsigned mover, const struct history_entry *entry)
{
    const struct variant *v = &game->rules;
    bool row = game->cells[entry->cell] == mover && row_wins(game, entry->cell);
    if (v->boat) {
        if (judge_boat(game, mover, row, entry->captured || entry->poofed))
            return;
        row = false; // what stands now is judged after the enemy's reply
    }
    unsigned reached = goal_winner(game, mover), side = v->sides[mover];
    if (reached != 0)
        end_game(game, reached, HOW_CAPTURES | (row && reached == side ? HOW_FIVE : 0u));
    else if (row)
        end_game(game, side, HOW_FIVE);
    else if (game->stones == game->points)
        end_game(game, 0, HOW_FULL);
}

void pente_lay(struct game *game, unsigned cell, struct history_entry *entry)
{
    unsigned colour = game_turn_colour(game);
    *entry = (struct history_entry){.cell = (uint16_t)cell, .before = before_pack(game)};
    put_stone(game, cell, colour);
    game->ply++;
    if (game->rules.capture != 0) {
        entry->captured = (uint16_t)find_captures(game, cell, colour);
        if (game->rules.poof)
            entry->poofed = (uint16_t)find_poofs(game, cell, colour);
        if (entry->captured)
            remove_captured(game, colour, entry);
        if (entry->poofed)
            remove_poofed(game, colour, entry);
    }
    judge(game, colour, entry);
}

static void restore_captured(struct game *game, unsigned colour, const struct history_entry *entry)
{
    const struct variant *v = &game->rules;
    for (unsigned d = 8; d-- > 0;) {
        unsigned length = entry->captured >> 2 * d & 3, enemies = 0;
        if (length == 0)
            continue;
        for (unsigned i = length; i >= 1; i--) {
            unsigned taken = v->colours > 2 ? game->spoils[--game->spoil_count] : 3 - colour;
            enemies += v->sides[taken] != v->sides[colour];
            put_stone(game, (unsigned)(entry->cell + direction_step[d] * (int)i), taken);
        }
        game->friendly[colour] = (uint16_t)(game->friendly[colour] - (length - enemies));
        add_taken(game, colour, -(int)enemies, -1);
    }
}

void pente_undo(struct game *game, const struct history_entry *entry)
{
    game->ply--;
    unsigned colour = game_turn_colour(game);
    if (entry->poofed) {
        unsigned cells[POOFED_MAX], count = poof_cells(entry, cells);
        for (unsigned i = 0; i < count; i++)
            put_stone(game, cells[i], colour);
        put_stone(game, entry->cell, colour);
        add_taken(game, 3 - colour, -((int)count + 1), 0);
    }
    if (entry->captured)
        restore_captured(game, colour, entry);
    take_stone(game, entry->cell);
    before_unpack(game, entry->before);
}

static void insert_sorted(struct point *list, uint8_t *count, struct point p)
{
    unsigned i = (*count)++;
    for (; i > 0 && (list[i - 1].x > p.x || (list[i - 1].x == p.x && list[i - 1].y > p.y)); i--)
        list[i] = list[i - 1];
    list[i] = p;
}

void pente_removed(const struct history_entry *entry, struct effect *effect)
{
    unsigned captured[CAPTURED_MAX], poofed[POOFED_MAX];
    unsigned count = captured_cells(entry, captured);
    for (unsigned i = 0; i < count; i++)
        insert_sorted(effect->captured, &effect->captured_count, game_cell_point(captured[i]));
    if (!entry->poofed)
        return;
    count = poof_cells(entry, poofed);
    for (unsigned i = 0; i < count; i++)
        insert_sorted(effect->poofed, &effect->poofed_count, game_cell_point(poofed[i]));
    insert_sorted(effect->poofed, &effect->poofed_count, game_cell_point(entry->cell));
}

void pente_setup_standing(struct game *game)
{
    game->standing = 0;
    if (!game->rules.boat)
        return;
    for (unsigned c = 1; c <= 2; c++)
        if (row_standing(game, c, false))
            game->standing = (uint8_t)(game->standing | 1u << c);
}
