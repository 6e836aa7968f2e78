// worth-games: plays Pente against itself and writes down positions with their searched value and
// how the game ended, for worth-fit.
//
//   worth-games GAMES NODES SEED > samples
//
// The same numbers give the same file. A game begins with two to eight stones laid at random near
// each other; each move is searched with about NODES nodes. Now and then a move is one of the more
// promising ones at random, so that what is seen is not only what the engine likes; positions
// before such a move don't learn from the end of the game. Beside the game, positions one such
// move away are searched too: they are like those at a search's leaves.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/rng.h"
#include "rules/engine/eval.h"
#include "rules/engine/search.h"
#include "rules/engine/threat.h"
#include "rules/engine/worth_sample.h"

enum {
    HASH_MIB = 8,
    PLIES_MAX = 150,
    PROMISING = 8,
    STRAY_PERCENT = 6,
    BESIDE_PERCENT = 40,
    PROOF_SLOTS = 1 << 14,
    // What the search proves at its leaves by itself is never asked of the evaluation.
    PROOF_MOVES = 6,
    PROOF_NODES = 40,
};

struct player {
    struct search *search;
    struct threat threat;
    struct rng rng;
    uint64_t nodes;
    struct sboard board;
    struct search_result result;
    struct worth_sample sample[2 * PLIES_MAX];
    int beside[2 * PLIES_MAX]; // the sample is no position of the game itself
    int samples;
};

static void read_stones(const struct sboard *b, uint8_t *stones)
{
    for (int y = 0; y < SB_SIZE_MAX; y++)
        for (int x = 0; x < SB_SIZE_MAX; x++)
            stones[y * SB_SIZE_MAX + x] = b->state[sb_cell(x, y)];
}

// Plays a move for good: the board's trail of moves begins anew.
static void advance(struct sboard *b, int cell)
{
    uint8_t stones[SB_SIZE_MAX * SB_SIZE_MAX];
    sb_make(b, cell);
    if (b->winner >= 0)
        return;
    read_stones(b, stones);
    const int taken[2] = {b->taken[0], b->taken[1]};
    sb_set(b, stones, taken, b->side, 1);
}

// Searches the position. Returns its value for the side to move.
static int think(struct player *p)
{
    uint16_t roots[SEARCH_ROOT_MAX];
    int count = eval_candidates(&p->board, SEARCH_ROOT_MAX, roots);
    const struct search_limits limits = {
        .nodes = p->nodes / 2 + rng_below(&p->rng, (uint32_t)p->nodes), .lines = 1};
    if (search_run(p->search, &p->board, roots, count, &limits, NULL, NULL, NULL, &p->result) < 0)
        return 0; // an empty or a full board
    return p->result.line[0].score;
}

// Keeps the position, unless the search would never ask what it is worth.
static void keep(struct player *p, int score, int beside)
{
    struct sboard *b = &p->board;
    uint16_t cell;
    if (sb_winning_cells(b, 0, 1, &cell) || sb_winning_cells(b, 1, 1, &cell) ||
        threat_win(&p->threat, b, PROOF_MOVES, PROOF_NODES, &cell))
        return;
    struct worth_sample *s = &p->sample[p->samples];
    read_stones(b, s->stones);
    memcpy(s->taken, b->taken, sizeof s->taken);
    s->side = (uint8_t)b->side;
    s->outcome = WORTH_OPEN;
    s->score = (int16_t)score;
    p->beside[p->samples++] = beside;
}

static int promising(struct player *p)
{
    uint16_t cells[SEARCH_ROOT_MAX];
    const struct sboard *b = &p->board;
    int count = eval_candidates(b, SEARCH_ROOT_MAX, cells);
    int wanted = count < PROMISING ? count : PROMISING;
    for (int i = 0; i < wanted; i++) {
        int best = i;
        for (int k = i + 1; k < count; k++)
            if (eval_move(b, cells[k]) > eval_move(b, cells[best]))
                best = k;
        uint16_t cell = cells[best];
        cells[best] = cells[i];
        cells[i] = cell;
    }
    return cells[rng_below(&p->rng, (uint32_t)wanted)];
}

static void begin(struct player *p, const struct line_table *table)
{
    uint16_t cells[SEARCH_ROOT_MAX];
    int stones = 2 + (int)rng_below(&p->rng, 7);
    sb_init(&p->board, &worth_rules, table);
    int x = 6 + (int)rng_below(&p->rng, 7), y = 6 + (int)rng_below(&p->rng, 7);
    advance(&p->board, sb_cell(x, y));
    for (int i = 1; i < stones; i++) {
        int count = eval_candidates(&p->board, SEARCH_ROOT_MAX, cells);
        advance(&p->board, cells[rng_below(&p->rng, (uint32_t)count)]);
    }
    p->samples = 0;
    search_forget(p->search);
    threat_forget(&p->threat);
}

// One position beside the game.
static void look_beside(struct player *p)
{
    sb_make(&p->board, promising(p));
    if (p->board.winner < 0)
        keep(p, think(p), 1);
    sb_unmake(&p->board);
}

// Plays one game; the winner is known by proof, mostly. Returns 0, 1, or -1 when it has none.
static int play(struct player *p)
{
    for (int ply = 0; ply < PLIES_MAX && p->board.winner < 0; ply++) {
        int score = think(p), side = p->board.side, cell = p->result.line[0].cell;
        keep(p, score, 0);
        if (abs(score) > SEARCH_PROVEN)
            return score > 0 ? side : 1 - side;
        if (rng_below(&p->rng, 100) < BESIDE_PERCENT)
            look_beside(p);
        if (rng_below(&p->rng, 100) < STRAY_PERCENT) {
            for (int i = 0; i < p->samples; i++)
                p->beside[i] = 1;
            cell = promising(p);
        }
        advance(&p->board, cell);
    }
    return p->board.winner == 2 ? -1 : p->board.winner;
}

int main(int argc, char **argv)
{
    static struct player p;
    struct line_table *table;
    if (argc != 4) {
        fprintf(stderr, "usage: worth-games GAMES NODES SEED > samples\n");
        return 2;
    }
    long games = strtol(argv[1], NULL, 10);
    p.nodes = strtoull(argv[2], NULL, 10);
    rng_seed(&p.rng, strtoull(argv[3], NULL, 10));
    if (games < 1 || p.nodes < 2 || line_table_new(&worth_rules.line, &table) < 0 ||
        search_new(HASH_MIB, 1, &p.search) < 0 || threat_init(&p.threat, PROOF_SLOTS) < 0) {
        fprintf(stderr, "worth-games: bad numbers or no memory\n");
        return 1;
    }
    for (long i = 0; i < games; i++) {
        do
            begin(&p, table);
        while (p.board.winner >= 0);
        int winner = play(&p);
        for (int k = 0; k < p.samples; k++)
            if (!p.beside[k] && winner >= 0)
                p.sample[k].outcome = p.sample[k].side == winner ? WORTH_WON : WORTH_LOST;
        if (fwrite(p.sample, sizeof *p.sample, (size_t)p.samples, stdout) != (size_t)p.samples) {
            perror("worth-games");
            return 1;
        }
    }
    threat_done(&p.threat);
    search_free(p.search);
    line_table_free(table);
    return fflush(stdout) == 0 ? 0 : 1;
}
