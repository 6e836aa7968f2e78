#include "tests/unit/game_fixture.h"

#include "rules/notation.h"

struct game game;
struct effect effect;

static struct move parse(const char *text)
{
    struct move move;
    if (!move_parse(&game.rules, text, strlen(text), &move))
        fail_msg("%s is no move", text);
    return move;
}

enum reason play(const char *text)
{
    return game_play(&game, parse(text), &effect);
}

void play_all(const char *moves)
{
    char copy[512], *save;
    snprintf(copy, sizeof copy, "%s", moves);
    for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
        assert_int_equal(play(word), REASON_NONE);
}

void start(const char *variant)
{
    game_init(&game, variant_find(variant));
}

struct move by(enum move_kind kind, unsigned colour)
{
    struct move move = move_choice(kind);
    move.colour = (uint8_t)colour;
    return move;
}
