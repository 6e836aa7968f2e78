// Move counts and checksums; the exact procedure stands in rules/README.md.
#include "rules/perft.h"

#include <string.h>

#include "rules/game_internal.h"

enum { HASHED_CHOICE = 250 };

uint64_t playout_seed(uint64_t k)
{
    return 0x9E3779B97F4A7C15ull * (k + 1);
}

uint64_t playout_next(uint64_t *state)
{
    uint64_t s = *state;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    *state = s;
    return s * 2685821657736338717ull;
}

uint32_t playout_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((playout_next(state) >> 32) % n);
}

uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size)
{
    for (const uint8_t *b = bytes; size > 0; size--)
        hash = (hash ^ *b++) * 0x100000001b3ull;
    return hash;
}

static uint64_t hash_byte(uint64_t hash, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    return fnv1a(hash, &b, 1);
}

// What the last entry took, in stones.
static unsigned taken_by(const struct history_entry *entry)
{
    unsigned taken = 0;
    for (unsigned captured = entry->captured; captured; captured >>= 2)
        taken += captured & 3;
    return taken;
}

static void count_leaf(const struct game *game, struct perft *ret)
{
    unsigned taken = taken_by(&game->history[game->entries - 1]);
    ret->leaves++;
    ret->capturing += taken > 0;
    ret->stones += taken;
    ret->wins += game->result.over && game->result.winner != 0;
    ret->draws += game->result.over && game->result.winner == 0;
}

// Walks the tree with a stack of move lists; deeper than PERFT_DEPTH_MAX there is nothing to count
// in a lifetime.
void game_perft(struct game *game, unsigned depth, struct perft *ret)
{
    struct {
        struct move moves[LEGAL_MAX];
        size_t count, next;
    } levels[PERFT_DEPTH_MAX], *level = levels;
    *ret = (struct perft){0};
    if (depth == 0)
        ret->leaves = 1;
    if (depth == 0 || depth > PERFT_DEPTH_MAX)
        return;
    level->count = game_legal(game, level->moves);
    level->next = 0;
    for (;;) {
        if (level->next == level->count) {
            if (level == levels)
                return;
            level--;
            game_undo(game);
            continue;
        }
        game_play(game, level->moves[level->next++], NULL);
        if ((unsigned)(level - levels) + 1 == depth) {
            count_leaf(game, ret);
            game_undo(game);
            continue;
        }
        level++;
        level->count = game_legal(game, level->moves);
        level->next = 0;
    }
}

// Hashes the points that the last move emptied, in order of y * size + x (the lists of an effect
// are ordered by x first).
static uint64_t hash_removed(uint64_t hash, const struct effect *effect, uint64_t *removed)
{
    struct point points[CAPTURED_MAX + POOFED_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < effect->captured_count; i++)
        points[count++] = effect->captured[i];
    for (unsigned i = 0; i < effect->poofed_count; i++)
        points[count++] = effect->poofed[i];
    *removed += count;
    hash = hash_byte(hash, count);
    for (unsigned i = 0; i < count; i++) {
        unsigned first = i;
        for (unsigned j = i + 1; j < count; j++)
            if (points[j].y < points[first].y ||
                (points[j].y == points[first].y && points[j].x < points[first].x))
                first = j;
        struct point p = points[first];
        points[first] = points[i];
        hash = hash_byte(hash_byte(hash, (unsigned)p.x), (unsigned)p.y);
    }
    return hash;
}

static uint64_t play_stone(struct game *game, uint64_t *rng, uint64_t hash, bool calls,
                           uint64_t *removed)
{
    unsigned n = game->rules.size;
    struct move move;
    do {
        uint32_t i = playout_below(rng, n * n);
        move = move_place(0, (int)(i % n), (int)(i / n));
    } while (game_check(game, move, NULL) != REASON_NONE);
    hash = hash_byte(hash_byte(hash, (unsigned)move.x), (unsigned)move.y);
    struct effect effect;
    if (calls) {
        game_play(game, move, &effect);
    } else {
        effect.captured_count = effect.poofed_count = 0;
        game_play(game, move, NULL);
        pente_removed(&game->history[game->entries - 1], &effect);
    }
    hash = hash_removed(hash, &effect, removed);
    return calls ? hash_byte(hash, effect.calls) : hash;
}

static uint64_t play_choice(struct game *game, uint64_t *rng, uint64_t hash)
{
    static const enum move_kind kinds[] = {MOVE_FIRST, MOVE_SECOND, MOVE_PASS};
    uint32_t i = playout_below(rng, game_choice_allowed(game, MOVE_PASS) ? 3 : 2);
    game_play(game, move_choice(kinds[i]), NULL);
    return hash_byte(hash, HASHED_CHOICE + i);
}

static uint64_t play_marble(struct game *game, uint64_t *rng, uint64_t hash)
{
    int x, y;
    do {
        uint32_t i = playout_below(rng, PENTAGO_HOLES);
        x = (int)(i % 6);
        y = (int)(i / 6);
    } while (game_at(game, x, y) != 0);
    for (;;) {
        uint32_t t = playout_below(rng, 9);
        struct move move = t == 0 ? move_twist(0, x, y, 0, 0)
                                  : move_twist(0, x, y, (int)((t - 1) / 2 + 1),
                                               t & 1 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE);
        if (game_play(game, move, NULL) != REASON_NONE)
            continue; // no block is neutral: draw another twist
        if (game->history[game->entries - 1].twist == 0)
            t = 0;
        return hash_byte(hash_byte(hash_byte(hash, (unsigned)x), (unsigned)y), t);
    }
}

static uint64_t hash_end(const struct game *game, uint64_t hash)
{
    const struct variant *v = &game->rules;
    hash = hash_byte(hash, game->result.winner);
    if (v->family == FAMILY_PENTAGO) {
        for (int y = 0; y < 6; y++)
            for (int x = 0; x < 6; x++)
                hash = hash_byte(hash, game_at(game, x, y));
        return hash;
    }
    for (unsigned c = 1; c <= v->colours; c++)
        hash = hash_byte(hash_byte(hash, game->stones_taken[c]), game->captures[c]);
    if (v->scoring != SCORING_NONE) {
        uint16_t scores[COLOURS_MAX + 1];
        game_scores(game, scores);
        for (unsigned c = 1; c <= v->colours; c++)
            hash = hash_byte(hash, scores[c]);
    }
    return hash;
}

static uint64_t playout(struct game *game, const struct variant *variant, uint64_t k, bool calls,
                        uint64_t *removed)
{
    uint64_t rng = playout_seed(k), hash = FNV1A_START;
    game_init(game, variant);
    while (!game->result.over) {
        if (game_choice_pending(game))
            hash = play_choice(game, &rng, hash);
        else if (variant->family == FAMILY_PENTAGO)
            hash = play_marble(game, &rng, hash);
        else
            hash = play_stone(game, &rng, hash, calls, removed);
    }
    return hash_end(game, hash);
}

uint64_t game_playout(struct game *game, const struct variant *variant, uint64_t k, bool calls)
{
    uint64_t removed = 0;
    return playout(game, variant, k, calls, &removed);
}

void game_playouts(const struct variant *variant, uint32_t count, bool calls, struct playouts *ret)
{
    struct game game;
    uint64_t removed = 0;
    *ret = (struct playouts){.hash = FNV1A_START};
    for (uint32_t k = 0; k < count; k++) {
        uint64_t hash = playout(&game, variant, k, calls, &removed);
        for (unsigned i = 0; i < 8; i++)
            ret->hash = hash_byte(ret->hash, (unsigned)(hash >> 8 * i & 0xFF));
        if (k < PLAYOUTS_FIRST) {
            ret->first[k].hash = hash;
            ret->first[k].plies = game.ply;
            ret->first[k].winner = game.result.winner;
        }
        ret->plies += game.ply;
        if (game.ply > ret->longest)
            ret->longest = game.ply;
        if (game.result.winner == 0) {
            ret->draws++;
            continue;
        }
        ret->wins[game.result.winner]++;
        unsigned how = game.result.how;
        ret->five += how == HOW_FIVE;
        ret->captures += how == HOW_CAPTURES;
        ret->five_and_captures += how == (HOW_FIVE | HOW_CAPTURES);
    }
    ret->removed = removed;
}
