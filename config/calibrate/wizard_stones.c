// Stones: how each colour looks here, and whether the colours are told apart.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/calibrate/handling.h"
#include "config/calibrate/wizard.h"

enum {
    PLACES = 5,
    LOOKS = 200, // judgements of single stones in all
};

static const double ALIKE = 3.0; // σ between two colours, below which they are too alike

struct shown {
    int column, row, colour;
};

// What 200 looks have told.
struct judged {
    int confused, missed;
    int looks[SETTINGS_COLOURS];                     // at stones of this colour,
    double odds[SETTINGS_COLOURS][SETTINGS_COLOURS]; // and against that one: nats, summed
};

// Five places for each colour, spread over the board, no two alike.
static int spread(const struct bench *b, struct shown ret[PLACES * SETTINGS_COLOURS])
{
    const struct settings_board *board = &bench_settings(b)->board;
    static const double AT[PLACES][2] = {
        {0.1, 0.1}, {0.8, 0.15}, {0.45, 0.5}, {0.12, 0.8}, {0.85, 0.85}};
    int count = 0;
    for (int i = 0; i < PLACES; i++)
        for (int colour = 1; colour <= bench_colours(b); colour++) {
            struct shown *shown = &ret[count++];
            shown->column = (int)(AT[i][0] * (board->columns - 1)) + (colour - 1) % 2;
            shown->row = (int)(AT[i][1] * (board->rows - 1)) + (colour - 1) / 2;
            shown->colour = colour;
        }
    return count;
}

static int lay(struct bench *b, const struct shown *shown, int count, struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    int r = 0;
    for (int i = 0; i < count && r == 0; i++) {
        double at[2];
        double machine[2];
        settings_board_at(board, shown[i].column, shown[i].row, at);
        board_map_to_machine(bench_map(b), at, machine);
        r = handling_place(b, shown[i].colour, machine[0], machine[1], err);
    }
    return r == 0 ? bench_park(b, err) : r;
}

// Takes them off where they were laid: where the eye sees the middle of clear glass is not good
// enough for the cup.
static int take_off(struct bench *b, const struct shown *shown, int count, struct error *err)
{
    const struct settings_board *board = &bench_settings(b)->board;
    int r = 0;
    for (int i = 0; i < count && r == 0; i++) {
        double at[2];
        double machine[2];
        settings_board_at(board, shown[i].column, shown[i].row, at);
        board_map_to_machine(bench_map(b), at, machine);
        r = handling_lift_at(b, shown[i].colour, machine[0], machine[1], err);
    }
    return r == 0 ? handling_clear(b, err) : r;
}

static int learn(struct bench *b, const struct shown *shown, int count, struct observation *o,
                 struct error *err)
{
    uint8_t classes[BOARD_POINTS_MAX] = {0};
    int columns = bench_settings(b)->board.columns;
    for (int i = 0; i < count; i++)
        classes[shown[i].row * columns + shown[i].column] = (uint8_t)shown[i].colour;
    int r = bench_look(b, o, err);
    return r == 0 ? vision_learn(bench_vision(b, err), classes, err) : r;
}

static void count_look(const struct observation_point *p, int colour, int colours, struct judged *j)
{
    bool stone = p->best >= 1 && p->best <= colours;
    j->confused += stone && p->best != colour;
    j->missed += !stone;
    j->looks[colour - 1]++;
    for (int k = 1; k <= colours; k++)
        j->odds[colour - 1][k - 1] +=
            (double)p->log_likelihood[colour] - (double)p->log_likelihood[k];
}

// Looks again and again.
static int judge(struct bench *b, const struct shown *shown, int count, struct observation *o,
                 struct judged *ret, struct error *err)
{
    struct judged j = {0};
    for (int looks = 0; looks < LOOKS;) {
        int r = bench_look(b, o, err);
        if (r < 0)
            return r;
        for (int i = 0; i < count && looks < LOOKS; i++, looks++)
            count_look(&o->point[shown[i].row * o->columns + shown[i].column], shown[i].colour,
                       o->colours, &j);
    }
    *ret = j;
    return 0;
}

// How far the two most alike colours are apart. Two normal distributions whose means are d standard
// deviations apart are told from each other by d²/2 nats on the average; so what the eye's own odds
// say is told in σ. (The models' means and widths would not do: after five stones the widths are
// still half those that the colour's name suggests.)
static double separation(const struct judged *j, int colours, int *ret_a, int *ret_b)
{
    double least = INFINITY;
    for (int a = 0; a < colours; a++)
        for (int b = a + 1; b < colours; b++) {
            double odds = (j->odds[a][b] / j->looks[a] + j->odds[b][a] / j->looks[b]) / 2;
            double apart = sqrt(2 * fmax(0, odds));
            if (apart < least) {
                least = apart;
                *ret_a = a;
                *ret_b = b;
            }
        }
    return least;
}

static const char *name_of(const struct bench *b, int colour0)
{
    return stone_colour_name(
        (enum stone_colour)(bench_settings(b)->stones.colour[colour0] - SETTINGS_STONE_CLEAR));
}

static void say_verdict(const struct bench *b, const struct judged *j, struct wizard_result *ret)
{
    int one = 0;
    int other = 1;
    double apart = separation(j, bench_colours(b), &one, &other);
    ret->figure = j->confused + j->missed;
    ret->limit = 0;
    ret->what = "wrong of 200 looks";
    ret->passed = j->confused + j->missed == 0 && apart >= ALIKE;
    if (ret->passed)
        (void)snprintf(ret->words, sizeof ret->words, "%s and %s, the most alike, are %.0f σ apart",
                       name_of(b, one), name_of(b, other), apart);
    else if (j->missed > j->confused)
        (void)snprintf(ret->words, sizeof ret->words,
                       "stones are overlooked: too little light, or stones like the board; try "
                       "another set");
    else
        (void)snprintf(ret->words, sizeof ret->words,
                       "%s and %s look too alike in this light (%.1f σ apart): another light, or "
                       "another set of stones",
                       name_of(b, one), name_of(b, other), apart);
}

static int measure(struct bench *b, struct observation *o, struct wizard_result *ret,
                   struct error *err)
{
    struct calibration_stones *stones = &bench_calibration(b)->stones;
    struct shown shown[PLACES * SETTINGS_COLOURS];
    int count = spread(b, shown);
    struct judged judged = {0};
    stones->verdict.valid = false;
    bench_new_vision(b); // learns anew
    int r = bench_need_empty(b, err);
    if (r == 0)
        r = bench_arm_ready(b, err);
    if (r == 0) {
        bench_say(b, "The arm shows %d stones of each colour to the camera.", PLACES);
        r = lay(b, shown, count, err);
    }
    if (r == 0)
        r = learn(b, shown, count, o, err);
    if (r == 0)
        r = judge(b, shown, count, o, &judged, err);
    if (r < 0)
        return r;
    (void)bench_snap(b, err);
    vision_models(bench_vision(b, err), &stones->models);
    stones->looks = LOOKS;
    for (int i = 0; i < CALIBRATION_COLOURS; i++)
        (void)snprintf(stones->name[i], sizeof stones->name[i], "%s",
                       i < bench_colours(b) ? name_of(b, i) : "");
    say_verdict(b, &judged, ret);
    stones->verdict.valid = ret->passed; // who looks anew from here on knows the colours
    return take_off(b, shown, count, err);
}

int wizard_stones(struct bench *b, struct wizard_result *ret, struct error *err)
{
    if (!bench_calibration(b)->arm.verdict.valid)
        return error_set(err, -EPERM,
                         "the arm must find the board first: `tessera-config calibrate arm`");
    struct observation *o = calloc(1, sizeof *o);
    int r = o ? measure(b, o, ret, err) : error_set(err, -ENOMEM, "out of memory");
    free(o);
    return r;
}
