#include "rules/daemon/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/daemon/store_private.h"

int store_new(struct store **ret)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store)
        return -ENOMEM;
    store->positions = calloc(STORE_LIVE_MAX, sizeof *store->positions);
    if (!store->positions) {
        free(store);
        return -ENOMEM;
    }
    *ret = store;
    return 0;
}

static void free_game(struct stored_game *game)
{
    if (!game)
        return;
    free(game->setup);
    free(game->players);
    free(game->moves);
    free(game->damage);
    free(game);
}

struct store *store_free(struct store *store)
{
    if (!store)
        return NULL;
    journal_free(store->journal);
    for (uint32_t i = 0; i < store->game_count; i++)
        free_game(store->games[i]);
    for (uint32_t i = 0; i < store->match_count; i++)
        store_free_match(store->matches[i]);
    for (uint32_t i = 0; i < store->house_count; i++)
        free(store->house[i]);
    for (size_t i = 0; i < store->change_count; i++)
        free(store->changes[i].moves);
    free(store->positions);
    free(store->games);
    free(store->matches);
    free(store->house);
    free(store->changes);
    writer_clear(&store->members);
    free(store);
    return NULL;
}

int store_reserve(void **items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return 0;
    uint32_t larger = *capacity ? *capacity * 2 : 16;
    void *moved = realloc(*items, larger * size);
    if (!moved)
        return -ENOMEM;
    *items = moved;
    *capacity = larger;
    return 0;
}

struct stored_game *store_at(const struct store *store, uint32_t number)
{
    return store->games[number - 1];
}

uint32_t store_game_count(const struct store *store)
{
    return store->game_count;
}

// "g12" -> 12. Only the form that we write ourselves, so that a game has one name.
static uint32_t parse_name(const char *name, char letter, uint32_t count)
{
    if (name[0] != letter || name[1] < '1' || name[1] > '9')
        return 0;
    uint64_t number = 0;
    for (const char *p = name + 1; *p; p++) {
        if (*p < '0' || *p > '9')
            return 0;
        number = number * 10 + (uint64_t)(*p - '0');
        if (number > count)
            return 0;
    }
    return (uint32_t)number;
}

uint32_t store_find_game(const struct store *store, const char *name)
{
    return parse_name(name, 'g', store->game_count);
}

uint32_t store_find_match(const struct store *store, const char *name)
{
    return parse_name(name, 'm', store->match_count);
}

void store_summary(const struct store *store, uint32_t number, struct summary *ret)
{
    const struct stored_game *game = store_at(store, number);
    *ret = (struct summary){game->rules, game->ply, game->result, game->damage};
}

const struct player *store_players(const struct store *store, uint32_t number, unsigned *ret_count)
{
    const struct stored_game *game = store_at(store, number);
    *ret_count = game->player_count;
    return game->players;
}

const struct setup *store_setup(const struct store *store, uint32_t number)
{
    return store_at(store, number)->setup;
}

static bool same(const struct variant *a, const struct variant *b)
{
    return a == b || (strcmp(a->name, b->name) == 0 && strcmp(a->title, b->title) == 0 &&
                      variant_same_rules(a, b));
}

const struct variant *store_keep_rules(struct store *store, const struct variant *rules,
                                       struct error *err)
{
    const struct variant *row = variant_find(rules->name);
    if (row && same(row, rules))
        return row;
    for (uint32_t i = 0; i < store->house_count; i++)
        if (same(store->house[i], rules))
            return store->house[i];
    if (store->house_count >= STORE_HOUSE_RULES_MAX) {
        error_set_code(err, -ENOSPC, "TooManyGames", "There are too many different house rules.");
        return NULL;
    }
    struct variant *copy = NULL;
    if (store_reserve((void **)&store->house, store->house_count, &store->house_capacity,
                      sizeof(struct variant *)) == 0)
        copy = malloc(sizeof *copy);
    if (!copy) {
        error_set_code(err, -ENOMEM, "OutOfMemory", "The rules daemon is out of memory.");
        return NULL;
    }
    memcpy(copy, rules, sizeof *copy);
    store->house[store->house_count++] = copy;
    return copy;
}

// ---- positions

static void begin(const struct stored_game *game, struct game *ret)
{
    // The setup was judged when the game began, so it cannot fail here.
    if (!game->setup || game_setup(ret, game->rules, game->setup, NULL) < 0)
        game_init(ret, game->rules);
}

uint32_t store_work_out(const struct stored_game *game, struct game *ret)
{
    begin(game, ret);
    uint32_t played = 0;
    while (played < game->move_count && game_play(ret, game->moves[played], NULL) == REASON_NONE)
        played++;
    return played;
}

void store_forget_live(struct store *store, uint32_t number)
{
    struct stored_game *game = store_at(store, number);
    if (!game->live)
        return;
    store->owner[game->live - store->positions] = 0;
    game->live = NULL;
}

// A free place for a position: the one that was used longest ago is given up when none is left.
static unsigned find_place(struct store *store)
{
    unsigned oldest = 0;
    for (unsigned i = 0; i < STORE_LIVE_MAX; i++) {
        if (store->owner[i] == 0)
            return i;
        if (store_at(store, store->owner[i])->used < store_at(store, store->owner[oldest])->used)
            oldest = i;
    }
    store_forget_live(store, store->owner[oldest]);
    return oldest;
}

static struct game *work_out_live(struct store *store, uint32_t number)
{
    struct stored_game *game = store_at(store, number);
    game->used = ++store->clock;
    if (!game->live) {
        unsigned place = find_place(store);
        game->live = &store->positions[place];
        store->owner[place] = number;
        store_work_out(game, game->live);
    }
    return game->live;
}

const struct game *store_game(struct store *store, uint32_t number)
{
    return work_out_live(store, number);
}

static void update_summary(struct stored_game *game, const struct game *live)
{
    game->ply = live->ply;
    game->result = live->result;
}

// ---- changes

static int out_of_memory(struct error *err)
{
    return error_set_code(err, -ENOMEM, "OutOfMemory",
                          "The rules daemon is out of memory, so nothing was changed.");
}

int store_add_move(struct stored_game *game, struct move move)
{
    if (game->move_count >= STORE_MOVES_MAX)
        return -ENOSPC;
    int r =
        store_reserve((void **)&game->moves, game->move_count, &game->move_capacity, sizeof move);
    if (r == 0)
        game->moves[game->move_count++] = move;
    return r;
}

static int copy_beginning(struct stored_game *game, const struct beginning *beginning)
{
    if (beginning->setup) {
        game->setup = malloc(sizeof *game->setup);
        if (!game->setup)
            return -ENOMEM;
        *game->setup = *beginning->setup;
    }
    if (beginning->player_count) {
        game->players = malloc(beginning->player_count * sizeof *game->players);
        if (!game->players)
            return -ENOMEM;
        memcpy(game->players, beginning->players, beginning->player_count * sizeof *game->players);
        game->player_count = beginning->player_count;
    }
    for (size_t i = 0; i < beginning->move_count; i++) {
        int r = store_add_move(game, beginning->moves[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

int store_begin_game(struct store *store, const struct beginning *beginning, struct error *err)
{
    if (store->game_count >= STORE_GAMES_MAX)
        return error_set_code(err, -ENOSPC, "TooManyGames",
                              "The rules daemon keeps %d games and no more. Stop it and move its "
                              "journal to another place; it begins a new one.",
                              STORE_GAMES_MAX);
    struct stored_game *game = calloc(1, sizeof *game);
    int r = game ? store_reserve((void **)&store->games, store->game_count, &store->game_capacity,
                                 sizeof(struct stored_game *))
                 : -ENOMEM;
    if (r == 0)
        r = copy_beginning(game, beginning);
    if (r == 0 && !(game->rules = store_keep_rules(store, beginning->rules, err))) {
        free_game(game);
        return err ? err->number : -ENOMEM;
    }
    if (r < 0) {
        free_game(game);
        return out_of_memory(err);
    }
    store->games[store->game_count++] = game;
    return 0;
}

// A new game must be in order before it is remembered: its setup possible, its moves legal.
static int judge_beginning(const struct beginning *beginning, struct game *ret, struct error *err)
{
    if (beginning->setup) {
        int r = game_setup(ret, beginning->rules, beginning->setup, err);
        if (r < 0)
            return r;
    } else {
        game_init(ret, beginning->rules);
    }
    if (beginning->move_count > STORE_MOVES_MAX)
        return error_set_code(err, -E2BIG, "BadRecord", "The game has more than %d moves.",
                              STORE_MOVES_MAX);
    for (size_t i = 0; i < beginning->move_count; i++) {
        enum reason reason = game_check(ret, beginning->moves[i], NULL);
        if (reason != REASON_NONE) {
            char sentence[ERROR_TEXT_MAX - 32];
            reason_explain(reason, ret, &beginning->moves[i], sentence, sizeof sentence);
            return error_set_code(err, -EPERM, "IllegalMove", "Move %zu: %s", i + 1, sentence);
        }
        game_play(ret, beginning->moves[i], NULL);
    }
    return 0;
}

int store_new_game(struct store *store, const struct beginning *beginning, uint32_t *ret_number,
                   struct error *err)
{
    int r = store_may_change(store, err);
    struct game position;
    if (r == 0)
        r = judge_beginning(beginning, &position, err);
    if (r == 0)
        r = store_begin_game(store, beginning, err);
    if (r != 0)
        return r;
    uint32_t number = store->game_count;
    update_summary(store_at(store, number), &position);
    writer_cut(&store->members, 0);
    store_line_game(&store->members, number, beginning);
    r = store_stage(store, &(struct change){.kind = CHANGE_GAME, .number = number}, err);
    if (r < 0) {
        free_game(store->games[--store->game_count]);
        return r;
    }
    *ret_number = number;
    return 0;
}

static int damaged(const struct stored_game *game, struct error *err)
{
    return error_set_code(err, -EBADMSG, "DamagedGame",
                          "This game cannot go on: %s Begin a new one.", game->damage);
}

static bool offers_nothing_new(const struct game *game, struct move move)
{
    unsigned colour = move.colour ? move.colour : game_next_colour(game);
    return move.kind == MOVE_DRAW && !game->result.over && colour <= game->rules.colours &&
           game->draw_offers >> game->rules.sides[colour] & 1;
}

int store_play(struct store *store, uint32_t number, struct move move, struct effect *effect,
               enum reason *ret_reason, struct error *err)
{
    struct stored_game *game = store_at(store, number);
    struct game *live = work_out_live(store, number);
    enum reason reason = game_check(live, move, NULL);
    if (reason != REASON_NONE) {
        game_check(live, move, effect);
        *ret_reason = reason;
        return 0;
    }
    int r = store_may_change(store, err);
    if (r < 0)
        return r;
    if (game->damage)
        return damaged(game, err);
    if (offers_nothing_new(live, move)) { // said twice: nothing to remember
        game_play(live, move, effect);
        *ret_reason = reason;
        return 0;
    }
    r = store_add_move(game, move);
    if (r == -ENOSPC)
        return error_set_code(err, r, "TooManyMoves",
                              "This game has had %d moves and draw offers; no more are kept.",
                              STORE_MOVES_MAX);
    if (r < 0)
        return out_of_memory(err);
    writer_cut(&store->members, 0);
    store_line_move(&store->members, number, live->ply, game->rules, move);
    r = store_stage(store, &(struct change){.kind = CHANGE_MOVE, .number = number}, err);
    if (r < 0) {
        game->move_count--;
        return r;
    }
    game_play(live, move, effect);
    update_summary(game, live);
    *ret_reason = reason;
    return 0;
}

bool store_find_played(const struct store *store, uint32_t number, struct move move, int ply,
                       struct game *ret_game, struct effect *effect)
{
    const struct stored_game *game = store_at(store, number);
    begin(game, ret_game);
    for (uint32_t i = 0; i < game->move_count; i++) {
        struct move played = game->moves[i];
        unsigned colour = game_next_colour(ret_game);
        struct move same = move;
        same.colour = played.colour; // that may be given or not
        bool fits = !move.colour || move.colour == (played.colour ? played.colour : colour);
        if (ret_game->ply == ply && fits && move_equal(same, played))
            return game_play(ret_game, played, effect) == REASON_NONE;
        if (ret_game->ply > ply || game_play(ret_game, played, NULL) != REASON_NONE)
            return false;
    }
    return false;
}

int store_cut_moves(struct store *store, uint32_t number, unsigned count, struct move **ret_moves,
                    uint32_t *ret_count)
{
    struct stored_game *game = store_at(store, number);
    struct game *live = work_out_live(store, number);
    if (count > live->entries)
        return -ENOENT;
    unsigned left = live->entries - count;
    struct move *moves = malloc((left ? left : 1) * sizeof *moves);
    if (!moves)
        return -ENOMEM;
    // A pair of stones may be cut in two, and draw offers lapse: the list is written anew.
    for (unsigned i = 0; i < left; i++)
        moves[i] = game_move(live, i);
    while (count-- > 0)
        game_undo(live);
    if (ret_moves) {
        *ret_moves = game->moves;
        *ret_count = game->move_count;
    } else {
        free(game->moves);
    }
    game->moves = moves;
    game->move_count = left;
    game->move_capacity = left ? left : 1;
    update_summary(game, live);
    return 0;
}

int store_undo(struct store *store, uint32_t number, unsigned count, struct error *err)
{
    int r = store_may_change(store, err);
    if (r < 0)
        return r;
    if (store_at(store, number)->damage)
        return damaged(store_at(store, number), err);
    const struct game *live = store_game(store, number);
    if (count > live->entries)
        return error_set_code(err, -ENOENT, "NothingToUndo",
                              "The game has %u %s to take back, not %u.", live->entries,
                              live->entries == 1 ? "move" : "moves", count);
    struct change change = {.kind = CHANGE_UNDO, .number = number};
    if (store_cut_moves(store, number, count, &change.moves, &change.move_count) < 0)
        return out_of_memory(err);
    writer_cut(&store->members, 0);
    store_line_undo(&store->members, number, count);
    return store_stage(store, &change, err);
}
