// pentago-opening-pack: makes pentago_opening.bin from the list of all Pentago positions with up to
// four marbles and their exact values (G. Irving's strong solution, public domain).
//
//     pentago-opening-pack < opening.txt > pentago_opening.bin
//
// A line of the list: the board (36 characters, rows from the top; '.', '1', '2'), the value for
// the side to move, the number of moves that keep it, the number of moves, and up to eight of those
// that keep it as cell:block:cw|ccw.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/pentago_opening.h"

static uint8_t cell_bit(int cell)
{
    return pentago_bit_of[(5 - cell / 6) * 6 + cell % 6];
}

static int read_line(const char *line, uint64_t marbles[2], struct pentago_opening_entry *entry)
{
    int keep, all, cell, block, end = 0;
    char turn[4];
    marbles[0] = marbles[1] = 0;
    for (int i = 0; i < PENTAGO_HOLES; i++) {
        if (line[i] == '1' || line[i] == '2')
            marbles[line[i] - '1'] |= 1ull << cell_bit(i);
        else if (line[i] != '.')
            return -1;
    }
    if (sscanf(line + PENTAGO_HOLES, "%d %d %d %d:%d:%3[cw]%n", &entry->value, &keep, &all, &cell,
               &block, turn, &end) != 6)
        return -1;
    if (abs(entry->value) > 1 || all < 1 || keep < 1 || keep > all || cell < 0 || cell > 35 ||
        block < 0 || block > 3)
        return -1;
    entry->ease = (keep * PENTAGO_EASE_MAX + all / 2) / all;
    entry->move = (struct pentago_turn_move){
        cell_bit(cell), (uint8_t)pentago_lane((unsigned)block + 1),
        (int8_t)(strcmp(turn, "cw") == 0 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE)};
    return 0;
}

static int place(const uint32_t *keys, uint32_t key)
{
    int low = 0, high = PENTAGO_OPENING_CLASSES - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return keys[low] == key ? low : -1;
}

int main(void)
{
    static uint8_t data[2 * PENTAGO_OPENING_CLASSES], seen[PENTAGO_OPENING_CLASSES];
    static char line[65536];
    uint32_t *keys = pentago_opening_keys();
    int number = 0, count = 0;
    while (keys && fgets(line, sizeof line, stdin)) {
        struct pentago_opening_entry entry;
        uint64_t marbles[2];
        unsigned symmetry;
        number++;
        if (line[0] == '#')
            continue;
        if (strlen(line) < PENTAGO_HOLES || read_line(line, marbles, &entry) < 0) {
            fprintf(stderr, "line %d cannot be read\n", number);
            return 1;
        }
        int at = place(keys, pentago_class(marbles, &symmetry));
        if (at < 0 || seen[at]++) {
            fprintf(stderr, "line %d: %s\n", number, at < 0 ? "no such class" : "seen before");
            return 1;
        }
        entry.move = pentago_map_move(entry.move, symmetry);
        uint16_t code = pentago_opening_encode(&entry);
        data[2 * at] = (uint8_t)code;
        data[2 * at + 1] = (uint8_t)(code >> 8);
        count++;
    }
    free(keys);
    if (count != PENTAGO_OPENING_CLASSES) {
        fprintf(stderr, "%d classes instead of %d\n", count, PENTAGO_OPENING_CLASSES);
        return 1;
    }
    return fwrite(data, 1, sizeof data, stdout) == sizeof data ? 0 : 1;
}
