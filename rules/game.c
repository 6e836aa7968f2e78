// The game: turn, legality, playing and taking back. What a stone does on the board is in pente.c
// and pentago_game.c.
#include "rules/game.h"

#include <errno.h>
#include <string.h>

#include "rules/game_internal.h"

bool move_equal(struct move a, struct move b)
{
    if (a.kind != b.kind || a.colour != b.colour)
        return false;
    bool placed = a.x == b.x && a.y == b.y;
    if (a.kind == MOVE_PAIR)
        return placed && a.x2 == b.x2 && a.y2 == b.y2;
    return a.kind != MOVE_PLACE || (placed && a.block == b.block && (!a.block || a.turn == b.turn));
}

const char *how_name(unsigned *bits)
{
    static const char *const names[] = {"five",   "captures", "full",  "both",
                                        "length", "resign",   "agreed"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (*bits >> i & 1) {
            *bits &= ~(1u << i);
            return names[i];
        }
    return NULL;
}

uint8_t before_pack(const struct game *game)
{
    return (uint8_t)(game->stage | (game->swapped ? 8u : 0u) | (game->standing & 6u) << 3);
}

void before_unpack(struct game *game, uint8_t before)
{
    game->stage = before & 7;
    game->swapped = before >> 3 & 1;
    game->standing = before >> 3 & 6;
}

unsigned game_turn_colour(const struct game *game)
{
    return variant_turn_colour(&game->rules, game->ply);
}

void game_init(struct game *game, const struct variant *variant)
{
    // The history is not read beyond `entries`: clearing it would cost more than a whole game.
    memset(game, 0, offsetof(struct game, history));
    game->rules = *variant;
    game->points = (uint16_t)(variant->size * variant->size);
    if (variant->family == FAMILY_PENTE) {
        memset(game->cells, GAME_BORDER, sizeof game->cells);
        for (int y = 0; y < variant->size; y++)
            memset(game->cells + game_cell(0, y), 0, variant->size);
    }
    stage_begin(game);
}

static int setup_stone(struct game *game, unsigned colour, struct point at, struct error *err)
{
    if (!point_on_board(at, game->rules.size))
        return error_set_code(err, -EINVAL, "BadSetup",
                              "There is no point (%d, %d) on a board of %u lines.", at.x, at.y,
                              game->rules.size);
    if (colour < 1 || colour > game->rules.colours)
        return error_set_code(err, -EINVAL, "BadSetup",
                              "This game has the colours 1 to %u; there is no colour %u.",
                              game->rules.colours, colour);
    if (game_at(game, at.x, at.y) != 0)
        return error_set_code(err, -EINVAL, "BadSetup", "Two stones stand on (%d, %d).", at.x,
                              at.y);
    unsigned cell = game_cell(at.x, at.y);
    if (game->rules.family == FAMILY_PENTAGO)
        game->pentago.marbles[colour - 1] |= pentago_bit((unsigned)at.x, (unsigned)at.y);
    else
        game->cells[cell] = (uint8_t)colour;
    game->stones++;
    return 0;
}

int game_setup(struct game *game, const struct variant *variant, const struct setup *setup,
               struct error *err)
{
    struct game fresh;
    game_init(&fresh, variant);
    if (setup->stone_count > POINTS_MAX)
        return error_set_code(err, -EINVAL, "BadSetup", "Too many stones.");
    for (unsigned i = 0; i < setup->stone_count; i++) {
        int rc = setup_stone(&fresh, setup->stones[i].colour, setup->stones[i].at, err);
        if (rc != 0)
            return rc;
    }
    for (unsigned c = 1; c <= COLOURS_MAX; c++) {
        if (setup->stones_taken[c] > SETUP_COUNTER_MAX || setup->captures[c] > SETUP_COUNTER_MAX)
            return error_set_code(err, -EINVAL, "BadSetup",
                                  "Colour %u cannot have taken so many stones.", c);
        fresh.stones_taken[c] = setup->stones_taken[c];
        fresh.captures[c] = setup->captures[c];
    }
    if (setup->ply > SETUP_PLY_MAX)
        return error_set_code(err, -EINVAL, "BadSetup", "A game has at most %d plies.",
                              SETUP_PLY_MAX);
    fresh.ply = setup->ply;
    stage_begin(&fresh);
    if (variant->family == FAMILY_PENTE) {
        pente_setup_standing(&fresh);
        fresh.stones_hash = game_stones_hash(&fresh);
    }
    if (fresh.stones == fresh.points)
        fresh.result = (struct result){true, 0, HOW_FULL};
    memcpy(game, &fresh, offsetof(struct game, history));
    return 0;
}

unsigned game_at(const struct game *game, int x, int y)
{
    if (!point_on_board((struct point){(int8_t)x, (int8_t)y}, game->rules.size))
        return 0;
    if (game->rules.family == FAMILY_PENTE)
        return game->cells[game_cell(x, y)];
    uint64_t bit = pentago_bit((unsigned)x, (unsigned)y);
    return game->pentago.marbles[0] & bit ? 1 : game->pentago.marbles[1] & bit ? 2 : 0;
}

unsigned game_next_colour(const struct game *game)
{
    return game->result.over ? 0 : game_turn_colour(game);
}

unsigned game_next_seat(const struct game *game)
{
    return game->result.over ? 0 : stage_seat(game);
}

unsigned game_choice_pending(const struct game *game)
{
    return !game->result.over && stage_waits(game) ? stage_seat(game) : 0;
}

bool game_choice_allowed(const struct game *game, enum move_kind choice)
{
    return !game->result.over && stage_allows(game, choice);
}

unsigned game_stones_due(const struct game *game)
{
    bool first_of_two = game->rules.connect6 && game->ply % 2 == 1;
    return first_of_two && game_empty(game) >= 2 ? 2 : 1;
}

unsigned game_seat_colour(const struct game *game, unsigned seat)
{
    if (seat < 1 || seat > game->rules.seat_count)
        return 0;
    unsigned colour = game->rules.seats[seat - 1];
    return game->swapped ? 3 - colour : colour;
}

// The opening rules (A2, A3, B40); on an even board the centre is the upper right middle point.
static enum reason check_opening(const struct game *game, struct point p)
{
    const struct variant *v = &game->rules;
    if (v->opening == OPENING_FREE || game->ply > 2)
        return REASON_NONE;
    int centre = v->size / 2;
    int dx = p.x > centre ? p.x - centre : centre - p.x;
    int dy = p.y > centre ? p.y - centre : centre - p.y;
    int distance = dx > dy ? dx : dy;
    if (game->ply == 0)
        return distance == 0 ? REASON_NONE : REASON_CENTRE_REQUIRED;
    if (game->ply == 1 || v->opening == OPENING_CENTRE)
        return REASON_NONE;
    bool on_axis = dx == 0 || dy == 0;
    if (distance < 3 || (v->opening == OPENING_GPENTE && on_axis && distance <= 4))
        return REASON_TOO_CLOSE;
    return REASON_NONE;
}

static enum reason check_point(const struct game *game, struct point p)
{
    if (!point_on_board(p, game->rules.size))
        return REASON_OFF_BOARD;
    if (game_at(game, p.x, p.y) != 0)
        return REASON_OCCUPIED;
    return check_opening(game, p);
}

static enum reason check_stone(const struct game *game, struct move move)
{
    if (stage_waits(game)) // then no colour has its turn
        return REASON_CHOICE_PENDING;
    if (move.colour != 0 && move.colour != game_turn_colour(game))
        return REASON_WRONG_TURN;
    if (game->rules.family == FAMILY_PENTAGO)
        return move.kind == MOVE_PLACE ? pentago_check(game, move) : REASON_MALFORMED;
    if (move.kind == MOVE_PLACE)
        return move.block != 0 ? REASON_MALFORMED
                               : check_point(game, (struct point){move.x, move.y});
    if (!game->rules.connect6)
        return REASON_MALFORMED;
    if (game_stones_due(game) < 2)
        return REASON_ONE_STONE;
    struct point first = {move.x, move.y}, second = {move.x2, move.y2};
    enum reason reason = check_point(game, first);
    if (reason == REASON_NONE)
        reason = check_point(game, second);
    return reason == REASON_NONE && point_equal(first, second) ? REASON_OCCUPIED : reason;
}

static enum reason check_move(const struct game *game, struct move move)
{
    if (game->result.over)
        return REASON_GAME_OVER;
    switch (move.kind) {
    case MOVE_PLACE:
    case MOVE_PAIR:
        return check_stone(game, move);
    case MOVE_FIRST:
    case MOVE_SECOND:
    case MOVE_PASS:
        if (!stage_waits(game))
            return REASON_NO_CHOICE_PENDING;
        return stage_allows(game, (enum move_kind)move.kind) ? REASON_NONE : REASON_BAD_CHOICE;
    case MOVE_RESIGN:
    case MOVE_DRAW:
        return move.colour > game->rules.colours ? REASON_NO_SUCH_SIDE : REASON_NONE;
    default:
        return REASON_MALFORMED;
    }
}

static struct history_entry *append(struct game *game, enum move_kind kind)
{
    struct history_entry *entry = &game->history[game->entries++];
    *entry = (struct history_entry){.before = before_pack(game)};
    entry->kind = (uint8_t)(kind & 15);
    return entry;
}

static void lay(struct game *game, struct move move)
{
    struct history_entry *entry = append(game, MOVE_PLACE);
    if (game->rules.family == FAMILY_PENTAGO)
        pentago_lay(game, move, entry);
    else
        pente_lay(game, game_cell(move.x, move.y), entry);
    game->draw_offers = 0;
    stage_after_stone(game);
    if (game->entries == GAME_ENTRIES_MAX && !game->result.over)
        game->result = (struct result){true, 0, HOW_LENGTH};
}

static void resign(struct game *game, unsigned colour)
{
    append(game, MOVE_RESIGN)->cell = (uint16_t)colour;
    // With more than two sides nobody has won when one gives up: the game ends without a winner.
    unsigned winner = variant_side_count(&game->rules) == 2 ? 3u - game->rules.sides[colour] : 0;
    game->result = (struct result){true, (uint8_t)winner, HOW_RESIGN};
}

static void offer_draw(struct game *game, unsigned colour)
{
    unsigned sides = variant_side_count(&game->rules);
    game->draw_offers = (uint8_t)(game->draw_offers | 1u << game->rules.sides[colour]);
    if (game->draw_offers != (2u << sides) - 2)
        return;
    append(game, MOVE_DRAW)->cell = (uint16_t)colour;
    game->draw_offers = 0;
    game->result = (struct result){true, 0, HOW_AGREED};
}

static void carry_out(struct game *game, struct move move)
{
    // Who gives up is the person that acts, also while one person lays or chooses for both.
    unsigned colour = move.colour ? move.colour : game_seat_colour(game, stage_seat(game));
    switch (move.kind) {
    case MOVE_RESIGN:
        resign(game, colour);
        return;
    case MOVE_DRAW:
        offer_draw(game, colour);
        return;
    case MOVE_FIRST:
    case MOVE_SECOND:
    case MOVE_PASS:
        append(game, (enum move_kind)move.kind);
        game->draw_offers = 0;
        stage_choose(game, (enum move_kind)move.kind);
        return;
    default:
        lay(game, move);
        if (move.kind == MOVE_PAIR && !game->result.over)
            lay(game, move_place(0, move.x2, move.y2));
    }
}

static void describe(const struct game *before, const struct game *game, struct effect *effect)
{
    if (game->entries > before->entries) {
        const struct history_entry *entry = &game->history[game->entries - 1];
        if (entry->kind == MOVE_PLACE && game->rules.family == FAMILY_PENTAGO)
            effect->twisted = entry->twist != 0;
        else if (entry->kind == MOVE_PLACE)
            pente_removed(entry, effect);
        if (entry->kind == MOVE_PLACE && !game->result.over)
            calls_find(before, game, effect);
    }
    effect->result = game->result;
    effect->scored = game->result.over && game->rules.scoring != SCORING_NONE;
    if (effect->scored)
        game_scores(game, effect->scores);
    memcpy(effect->stones_taken, game->stones_taken, sizeof effect->stones_taken);
    memcpy(effect->captures, game->captures, sizeof effect->captures);
    memcpy(effect->friendly, game->friendly, sizeof effect->friendly);
    effect->next_colour = (uint8_t)game_next_colour(game);
    effect->next_seat = (uint8_t)game_next_seat(game);
    effect->choice_pending = (uint8_t)game_choice_pending(game);
    effect->board_count = game->stones;
}

// The part of a game that calls look at; the history stays behind.
static void copy_head(struct game *to, const struct game *from)
{
    memcpy(to, from, offsetof(struct game, history));
}

enum reason game_play(struct game *game, struct move move, struct effect *effect)
{
    enum reason reason = check_move(game, move);
    if (effect) {
        memset(effect, 0, sizeof *effect);
        effect->reason = reason;
    }
    if (reason != REASON_NONE)
        return reason;
    if (!effect) {
        carry_out(game, move);
        return reason;
    }
    struct game before;
    copy_head(&before, game);
    carry_out(game, move);
    describe(&before, game, effect);
    return reason;
}

enum reason game_check(const struct game *game, struct move move, struct effect *effect)
{
    if (!effect)
        return check_move(game, move);
    // Only the entries that the move itself appends are looked at in the copy.
    struct game copy;
    copy_head(&copy, game);
    copy.spoil_count = 0;
    return game_play(&copy, move, effect);
}

bool game_undo(struct game *game)
{
    if (game->entries == 0)
        return false;
    const struct history_entry *entry = &game->history[--game->entries];
    game->result = (struct result){false, 0, 0};
    game->draw_offers = 0;
    if (entry->kind != MOVE_PLACE)
        before_unpack(game, entry->before);
    else if (game->rules.family == FAMILY_PENTAGO)
        pentago_undo(game, entry);
    else
        pente_undo(game, entry);
    return true;
}

size_t game_legal(const struct game *game, struct move out[LEGAL_MAX])
{
    size_t count = 0;
    if (game->result.over)
        return 0;
    if (stage_waits(game)) {
        for (unsigned kind = MOVE_FIRST; kind <= MOVE_PASS; kind++)
            if (stage_allows(game, (enum move_kind)kind))
                out[count++] = move_choice((enum move_kind)kind);
        return count;
    }
    if (game->rules.family == FAMILY_PENTAGO)
        return pentago_legal(game, out);
    unsigned colour = game_turn_colour(game);
    for (int y = 0; y < game->rules.size; y++)
        for (int x = 0; x < game->rules.size; x++)
            if (game->cells[game_cell(x, y)] == 0 &&
                check_opening(game, (struct point){(int8_t)x, (int8_t)y}) == REASON_NONE)
                out[count++] = move_place(colour, x, y);
    return count;
}

struct move game_move(const struct game *game, size_t i)
{
    const struct history_entry *entry = &game->history[i];
    if (entry->kind != MOVE_PLACE) {
        struct move move = move_choice((enum move_kind)entry->kind);
        if (entry->kind == MOVE_RESIGN || entry->kind == MOVE_DRAW)
            move.colour = (uint8_t)entry->cell;
        return move;
    }
    // The colour follows from the ply: count the stones before this one.
    unsigned ply = game->ply;
    for (size_t j = i; j < game->entries; j++)
        ply -= game->history[j].kind == MOVE_PLACE;
    unsigned colour = variant_turn_colour(&game->rules, ply);
    if (game->rules.family == FAMILY_PENTE) {
        struct point p = game_cell_point(entry->cell);
        return move_place(colour, p.x, p.y);
    }
    unsigned twist = entry->twist;
    return move_twist(colour, entry->cell % 6, entry->cell / 6,
                      twist ? (int)pentago_block((twist - 1) / 2) : 0,
                      twist == 0        ? 0
                      : (twist - 1) % 2 ? PENTAGO_ANTICLOCKWISE
                                        : PENTAGO_CLOCKWISE);
}
