// Games for points: the engine takes what earns most, puts a win off only when that is sure, and
// saves what can be saved when lost. Its promises are checked by trying every reply on the rules
// core, without the engine's choice of replies that matter.
#include "tests/unit/engine_helper.h"

#include "config/base/rng.h"
#include "rules/engine/points.h"

enum { NONE = -10000, NODES = 20000 };

static struct game game;

static void add_stones(struct setup *setup, unsigned colour, const char *points)
{
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", points);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        struct point at;
        assert_true(point_parse(word, strlen(word), &at));
        setup->stones[setup->stone_count].colour = (uint8_t)colour;
        setup->stones[setup->stone_count++].at = at;
    }
}

// What a test position looks like; colour `turn` is to move on a board of nine lines.
struct position {
    const char *variant, *stones[COLOURS_MAX];
    unsigned turn;
    unsigned captures[COLOURS_MAX + 1];
    const char *answers; // all that are right
    const char *why;
};

static void lay(const struct position *p)
{
    struct setup setup = {0};
    struct error err;
    struct variant v = *variant_find(p->variant);
    assert_int_equal(variant_set(&v, "size", "9", &err), 0);
    for (unsigned c = 0; c < COLOURS_MAX && p->stones[c]; c++)
        add_stones(&setup, c + 1, p->stones[c]);
    for (unsigned c = 1; c <= v.colours; c++) {
        setup.captures[c] = (uint16_t)p->captures[c];
        setup.stones_taken[c] = (uint16_t)(2 * p->captures[c]);
    }
    setup.ply = (uint16_t)(20u * v.colours + p->turn - 1);
    if (game_setup(&game, &v, &setup, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(game_next_colour(&game), p->turn);
}

static const struct position positions[] = {
    {"pente-points",
     {"B5 C5 D5 E5 B8", "A5 C8 D8", NULL},
     1,
     {0, 4, 0},
     "F5",
     "a five is worth more than the fifth pair"},
    {"pente-points",
     {"B5 C5 D5 E5 F8", "F7 F6 H1", NULL},
     1,
     {0},
     "F5",
     "the five that also takes a pair"},
    {"pente-points",
     {"C5 D5 E5 F5 C2", "D2 E2 H8", NULL},
     1,
     {0},
     "F2",
     "a pair first: nobody can stop both ends"},
    {"pente-points",
     {"C5 D5 E5 F5 C2", "B5 D2 E2 H8", NULL},
     1,
     {0},
     "G5",
     "no time for a pair: the one end would be stopped"},
    {"pente-points",
     {"C5 D5 E5 F5 C2", "D2 E2 B8 C8 D8 E8", NULL},
     1,
     {0},
     "B5 G5",
     "no time for a pair: the other one has a four too"},
    {"pente-points",
     {"C5 D5 E5 F5 D6 B4", "C4 D4 H8", NULL},
     1,
     {0},
     "E4",
     "the pair first that could take the four apart at D7"},
    {"pente-points",
     {"C5 D5 E5 F5 C2 D6", "D2 E2 D4 H8 E8", NULL},
     1,
     {0},
     "B5 G5",
     "no time for a pair: the four could be taken apart at D7"},
    {"pente-points",
     {"C5 D5 E5 F5 C2 D2 E2", "B5 B2 H8 H1", NULL},
     1,
     {0},
     "F2",
     "a second four first: one of them is left on the board"},
    {"pente-points",
     {"C5 D5 E5 F5 C2 D2", "E2 B2 H8", NULL},
     2,
     {0},
     "B5 G5",
     "lost without a pair to take: stand in the way"},
    {"pente-points",
     {"C5 D5 E5 F5 C2 D2", "B2 H8", NULL},
     2,
     {0},
     "E2",
     "lost anyway: take the pair"},
    {"pente-points",
     {"C5 D5 E5 F5", "A1 B1 C1 H8", NULL},
     2,
     {0},
     "D1",
     "lost anyway: leave a four on the board"},
    {"pente-points3",
     {"C5 D5 E5 C2", "D2 E2 H8", "H1"},
     1,
     {0},
     "B5 F5",
     "two others can stop two ends: win now"},
    {"pente-points3",
     {"C5 D5 E5 C2 C8 D8 E8", "D2 E2 H6 B8", "H1"},
     1,
     {0},
     "F2",
     "three ends are too many for two others: a pair first"},
    {"pente-points4",
     {"C5 D5 E5 C2 C8 D8 E8", "D2 E2 H6 B8", "H1", "J1"},
     1,
     {0},
     "B5 F5 F8",
     "three others can stop three ends: win now"},
    {"pente-points3",
     {"C5 D5 E5 B8", "C8 D8 A5", "H1"},
     1,
     {0, 3, 0},
     "B5 F5",
     "a row is worth more than the fourth pair"},
};

static int listed(const char *list, const char *move)
{
    char words[64], *save = NULL;
    snprintf(words, sizeof words, "%s", list);
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        if (strcmp(w, move) == 0)
            return 1;
    return 0;
}

static void test_positions(void **state)
{
    (void)state;
    struct engine *engine = new_engine(10, 1);
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        char text[MOVE_TEXT_MAX];
        lay(&positions[i]);
        engine_forget(engine);
        move_format(&game.rules, think(engine, &game, NODES, 0)->line[0].move, text);
        if (!listed(positions[i].answers, text))
            fail_msg("position %zu (%s): %s instead of %s", i + 1, positions[i].why, text,
                     positions[i].answers);
    }
    engine_free(engine);
}

// The same stones played just for the win: the right move is another one.
static void test_plain_game_wins_at_once(void **state)
{
    (void)state;
    struct engine *engine = new_engine(10, 1);
    static const size_t put_off[] = {2, 5, 7};
    for (size_t i = 0; i < sizeof put_off / sizeof *put_off; i++) {
        struct position p = positions[put_off[i]];
        p.variant = "pente";
        lay(&p);
        engine_forget(engine);
        struct engine_thought *thought = think(engine, &game, NODES, 0);
        assert_int_equal(game_play(&game, thought->line[0].move, NULL), REASON_NONE);
        assert_true(game.result.over);
    }
    engine_free(engine);
}

// The best lead from a win with this stone.
static int wins_now(struct game *g, unsigned side)
{
    struct move legal[LEGAL_MAX];
    int best = NONE;
    size_t count = game_legal(g, legal);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(game_play(g, legal[i], NULL), REASON_NONE);
        if (g->result.over && g->result.winner == side && points_lead(g, side) > best)
            best = points_lead(g, side);
        game_undo(g);
    }
    return best;
}

// The lead that is sure after every reply of everybody, winning as soon as it is one's turn.
static int sure_lead(struct game *g, unsigned side)
{
    struct move legal[LEGAL_MAX];
    int worst = -NONE;
    if (g->result.over)
        return points_lead(g, side);
    if (g->rules.sides[game_next_colour(g)] == side)
        return wins_now(g, side);
    size_t count = game_legal(g, legal);
    for (size_t i = 0; i < count && worst > NONE; i++) {
        assert_int_equal(game_play(g, legal[i], NULL), REASON_NONE);
        int lead = sure_lead(g, side);
        game_undo(g);
        worst = lead < worst ? lead : worst;
    }
    return worst;
}

static int best_sure_lead(struct game *g, unsigned side)
{
    struct move legal[LEGAL_MAX];
    int best = wins_now(g, side);
    size_t count = game_legal(g, legal);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(game_play(g, legal[i], NULL), REASON_NONE);
        int lead = g->result.over ? NONE : sure_lead(g, side);
        game_undo(g);
        best = lead > best ? lead : best;
    }
    return best;
}

static void test_hand_made_are_sure(void **state)
{
    (void)state;
    struct engine_limits limits = {0};
    static struct engine_thought thought;
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        int lead;
        lay(&positions[i]);
        unsigned side = positions[i].turn;
        if (wins_now(&game, side) == NONE || game.rules.colours > 3)
            continue;
        assert_int_equal(points_end(&game, &limits, 1, NULL, &thought, &lead), 1);
        assert_int_equal(game_play(&game, thought.line[0].move, NULL), REASON_NONE);
        assert_int_equal(sure_lead(&game, side), lead);
    }
}

// Random games until somebody can win: the promise holds against every reply, and with one move put
// off it is nearly always the best there is.
static void test_random_are_sure(void **state)
{
    (void)state;
    static struct move legal[LEGAL_MAX];
    static struct engine_thought thought;
    struct engine_limits limits = {0};
    struct variant v = *variant_find("pente-points");
    struct rng rng;
    struct error err;
    int tried = 0, best = 0, delayed = 0;
    assert_int_equal(variant_set(&v, "size", "9", &err), 0);
    rng_seed(&rng, 5);
    while (tried < 20) {
        int lead;
        game_init(&game, &v);
        while (!game.result.over && game.ply < 60) {
            unsigned side = game_next_colour(&game);
            if (game.ply > 24 && wins_now(&game, side) > NONE)
                break;
            game_play(&game, legal[rng_below(&rng, (uint32_t)game_legal(&game, legal))], NULL);
        }
        if (game.result.over || game.ply >= 60)
            continue;
        unsigned side = game_next_colour(&game);
        int now = wins_now(&game, side), most = best_sure_lead(&game, side);
        assert_int_equal(points_end(&game, &limits, 1, NULL, &thought, &lead), 1);
        assert_true(lead >= now && lead <= most);
        best += lead == most;
        delayed += lead > now;
        assert_int_equal(game_play(&game, thought.line[0].move, NULL), REASON_NONE);
        assert_true(sure_lead(&game, side) >= lead);
        tried++;
    }
    print_message("%d random positions: %d put off, %d best\n", tried, delayed, best);
    assert_true(best >= tried - 2);
    assert_true(delayed > 0);
}

// Out of time at once: still the best way to win with this stone; no move is changed by a stop.
static void test_stop(void **state)
{
    (void)state;
    static struct engine_thought thought;
    atomic_int stop = 1;
    struct engine_limits limits = {.nodes = 1};
    int lead;
    lay(&positions[1]);
    assert_int_equal(points_end(&game, &limits, 3, &stop, &thought, &lead), 1);
    assert_int_equal(lead, 6);
    assert_int_equal(thought.line[0].plies, 1);
    lay(&(struct position){"pente-points", {"C5 D5", "H8", NULL}, 1, {0}, "", ""});
    assert_int_equal(points_end(&game, &limits, 3, &stop, &thought, &lead), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_plain_game_wins_at_once),
        cmocka_unit_test(test_hand_made_are_sure),
        cmocka_unit_test(test_random_are_sure),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
