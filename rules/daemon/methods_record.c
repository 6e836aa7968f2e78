// record.*: games as text that other programs read and write.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/json.h"
#include "rules/daemon/service_private.h"
#include "rules/record.h"

#define JOURNAL_FORMAT "journal"

static int read_format(struct request *rq, enum record_format fallback, enum record_format *ret,
                       bool *ret_journal)
{
    const char *name = NULL;
    int r = json_member_string(rq->params, "format", &name, &rq->err);
    *ret = fallback;
    *ret_journal = name && strcmp(name, JOURNAL_FORMAT) == 0;
    if (r > 0 && !*ret_journal && record_format_parse(name, ret) < 0)
        return error_set_code(&rq->err, -EINVAL, "UnknownFormat",
                              "There is no record format \"%.20s\"; there are pente.org, sgf, "
                              "traditional, booklet, openspiel, number and journal.",
                              name);
    if (r < 0)
        memcpy(rq->err.code, "BadParams", sizeof "BadParams");
    return r < 0 ? r : 0;
}

static void add_player_tags(struct record *record, const struct player *players, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char key[RECORD_KEY_MAX];
        unsigned place = players[i].colour ? players[i].colour : i + 1;
        snprintf(key, sizeof key, "Player %u Name", place);
        if (players[i].name[0])
            record_set_tag(record, key, players[i].name);
    }
}

static void put_text(struct writer *w, const char *text, size_t size)
{
    writer_literal(w, "{\"text\":");
    writer_string_n(w, text, size);
    writer_literal(w, "}");
}

static int export_record(struct request *rq, uint32_t number, enum record_format format)
{
    struct record *record = malloc(sizeof *record);
    char *text = malloc(RECORD_WRITE_MAX);
    size_t size;
    unsigned count;
    int r = -ENOMEM;
    if (record && text) {
        record_init(record, store_game(rq->store, number));
        const struct player *players = store_players(rq->store, number, &count);
        add_player_tags(record, players, count);
        r = record_write(record, format, text, RECORD_WRITE_MAX, &size, &rq->err);
    }
    if (r == 0)
        put_text(rq->out, text, size);
    else if (r == -ENOMEM)
        error_set_code(&rq->err, r, "OutOfMemory", "The rules daemon is out of memory.");
    else
        memcpy(rq->err.code, "BadRecord", sizeof "BadRecord");
    free(record);
    free(text);
    return r;
}

int method_record_export(struct request *rq)
{
    uint32_t number;
    enum record_format format;
    bool journal;
    int r = request_game(rq, &number);
    if (r < 0)
        return r;
    const struct game *game = store_game(rq->store, number);
    bool pentago = game->rules.family == FAMILY_PENTAGO;
    r = read_format(rq, pentago ? RECORD_BOOKLET : RECORD_PENTEORG, &format, &journal);
    if (r < 0)
        return r;
    if (!journal)
        return export_record(rq, number, format);
    struct writer text = {0};
    store_put_journal(rq->store, number, &text);
    put_text(rq->out, text.data ? text.data : "", text.size);
    r = text.error;
    writer_clear(&text);
    return r < 0 ? error_set_code(&rq->err, r, "OutOfMemory", "The rules daemon is out of memory.")
                 : 0;
}

// ---- import

// What is read, before it becomes a game.
struct import {
    struct record record;
    struct setup setup;
    struct player players[SEATS_MAX];
    struct move moves[STORE_MOVES_MAX];
    struct beginning beginning;
};

// The position a record starts from, when that is not the empty board.
static void find_setup(struct import *import)
{
    struct game start = import->record.game;
    while (game_undo(&start))
        ;
    if (start.stones == 0 && start.ply == 0)
        return;
    struct setup *setup = &import->setup;
    memset(setup, 0, sizeof *setup);
    for (int y = 0; y < start.rules.size; y++)
        for (int x = 0; x < start.rules.size; x++) {
            unsigned colour = game_at(&start, x, y);
            if (!colour)
                continue;
            setup->stones[setup->stone_count].colour = (uint8_t)colour;
            setup->stones[setup->stone_count++].at = (struct point){(int8_t)x, (int8_t)y};
        }
    setup->ply = start.ply;
    memcpy(setup->captures, start.captures, sizeof setup->captures);
    memcpy(setup->stones_taken, start.stones_taken, sizeof setup->stones_taken);
    import->beginning.setup = setup;
}

// An agreed draw stands in the history once; to reach it again every side must offer.
static void add_agreed_draw(struct import *import, const struct variant *rules, struct move last)
{
    for (unsigned colour = 1; colour <= rules->colours; colour++) {
        if (rules->sides[colour] == rules->sides[last.colour ? last.colour : 1])
            continue;
        struct move offer = move_choice(MOVE_DRAW);
        offer.colour = (uint8_t)colour;
        import->moves[import->beginning.move_count++] = offer;
    }
    import->moves[import->beginning.move_count++] = last;
}

static void find_moves(struct import *import)
{
    const struct game *game = &import->record.game;
    for (unsigned i = 0; i < game->entries; i++) {
        struct move move = game_move(game, i);
        if (move.kind == MOVE_DRAW)
            add_agreed_draw(import, &game->rules, move);
        else
            import->moves[import->beginning.move_count++] = move;
    }
    import->beginning.moves = import->moves;
}

// Names of places that the game does not have remain what they are: tags.
static void find_players(struct import *import)
{
    unsigned count = 0;
    for (unsigned place = 1; place <= import->beginning.rules->colours; place++) {
        char key[RECORD_KEY_MAX];
        snprintf(key, sizeof key, "Player %u Name", place);
        const char *name = record_tag(&import->record, key);
        if (!name)
            continue;
        struct player *player = &import->players[count++];
        snprintf(player->name, sizeof player->name, "%s", name);
        player->colour = (uint8_t)place;
    }
    import->beginning.players = import->players;
    import->beginning.player_count = count;
}

// A text of a game that is not known here, or one in which nothing legal stands, is no game: making
// one of it would pass an empty board off as what was meant.
static int refuse_empty(struct request *rq, const struct import *import)
{
    const struct record_fault *fault = &import->record.fault;
    bool unknown = fault->reason == REASON_UNKNOWN_GAME;
    if (!unknown && (import->record.game.entries > 0 || import->beginning.setup))
        return 0;
    if (fault->reason == REASON_NONE)
        return error_set_code(&rq->err, -EINVAL, "BadRecord",
                              "There is no move in this text, so no game was made of it.");
    rq->reason = reason_name(fault->reason);
    error_set_code(&rq->err, -EINVAL, "BadRecord", "%s No game was made of it.", fault->text);
    rq->err.line = fault->line;
    rq->err.column = fault->column;
    return -EINVAL;
}

static int import_text(struct request *rq, enum record_format format, const char *text, size_t size,
                       struct import *import)
{
    const struct variant *rules = NULL;
    if (json_object_get(rq->params, "variant")) {
        int r = wire_read_rules(rq->params, &rq->service->house, &rules, &rq->err);
        if (r < 0)
            return r;
    }
    int r = record_read(text, size, format, rules, NULL, &import->record, &rq->err);
    if (r < 0) {
        memcpy(rq->err.code, "BadRecord", sizeof "BadRecord");
        return r;
    }
    import->beginning.rules = &import->record.game.rules;
    find_setup(import);
    find_moves(import);
    find_players(import);
    return refuse_empty(rq, import);
}

static int bad_journal(struct request *rq, int line, const char *what)
{
    rq->err.line = line;
    return error_set_code(&rq->err, -EINVAL, "BadRecord", "Line %d of the journal: %s.", line,
                          what);
}

static int import_journal_line(struct request *rq, const json_t *json, int line,
                               struct import *import)
{
    const char *what = json_string_value(json_object_get(json, "do"));
    struct beginning *b = &import->beginning;
    if (!what)
        return bad_journal(rq, line, "it has no \"do\"");
    if (line == 1) {
        const json_t *setup = json_object_get(json, "setup");
        if (strcmp(what, "new") != 0)
            return bad_journal(rq, line, "a game must begin with \"new\"");
        int r = wire_read_rules(json, &rq->service->house, &b->rules, &rq->err);
        if (r == 0)
            r = wire_read_players(json, import->players, &b->player_count, &rq->err);
        if (r == 0)
            r = wire_check_players(import->players, b->player_count, b->rules, &rq->err);
        if (r == 0 && setup) {
            r = wire_read_setup(setup, &import->setup, &rq->err);
            b->setup = &import->setup;
        }
        b->players = import->players;
        return r;
    }
    if (strcmp(what, "play") != 0)
        return bad_journal(rq, line, "only \"play\" may follow");
    if (b->move_count == STORE_MOVES_MAX)
        return bad_journal(rq, line, "there are too many moves");
    if (!store_read_move(json_object_get(json, "move"), b->rules, &import->moves[b->move_count]))
        return bad_journal(rq, line, "this is no move");
    b->move_count++;
    return 0;
}

static int import_journal(struct request *rq, const char *text, size_t size, struct import *import)
{
    const char *end = text + size;
    import->beginning.moves = import->moves;
    int line = 0;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = newline ? (size_t)(newline - text) : (size_t)(end - text);
        json_t *json;
        line++;
        if (json_read_text(text, length, NULL, &json, &rq->err) < 0)
            return bad_journal(rq, line, "this is no JSON");
        int r = import_journal_line(rq, json, line, import);
        json_decref(json);
        if (r < 0)
            return r;
        text += length + 1;
    }
    return line ? 0 : bad_journal(rq, 1, "it is empty");
}

static void put_fault(struct writer *w, const struct record_fault *fault)
{
    if (fault->reason == REASON_NONE)
        return;
    writer_literal(w, ",\"fault\":{\"reason\":");
    writer_string(w, reason_name(fault->reason));
    writer_format(w, ",\"move\":%u,\"line\":%d,\"column\":%d,\"text\":", fault->move, fault->line,
                  fault->column);
    writer_string(w, fault->text);
    writer_literal(w, "}");
}

static void put_tags(struct writer *w, const struct record *record)
{
    static const char *const stated[] = {NULL, "1-0", "0-1", "1/2-1/2", "?"};
    writer_literal(w, ",\"tags\":{");
    for (unsigned i = 0; i < record->tag_count; i++) {
        if (i)
            writer_literal(w, ",");
        writer_string(w, record->tags[i].key);
        writer_literal(w, ":");
        writer_string(w, record->tags[i].value);
    }
    writer_literal(w, "},\"stated_result\":");
    if (stated[record->stated])
        writer_string(w, stated[record->stated]);
    else
        writer_literal(w, "null");
    writer_format(w, ",\"stated_moves\":%u", record->stated_moves);
}

static int import_into_store(struct request *rq, struct import *import, bool journal)
{
    uint32_t number;
    int r = store_new_game(rq->store, &import->beginning, &number, &rq->err);
    if (r < 0)
        return r;
    writer_literal(event_begin(rq, number, store_game(rq->store, number)->ply, "import"), "");
    event_end(rq);
    put_state(rq, number, store_game(rq->store, number));
    if (journal)
        return 0;
    // The state stays an object of its own shape: what only an import knows is added to it.
    writer_cut(rq->out, rq->out->size - 1);
    put_tags(rq->out, &import->record);
    put_fault(rq->out, &import->record.fault);
    writer_literal(rq->out, "}");
    return 0;
}

int method_record_import(struct request *rq)
{
    const json_t *text = json_object_get(rq->params, "text");
    if (!json_is_string(text))
        return error_set_code(&rq->err, -EINVAL, "BadParams", "\"text\" must be the record.");
    enum record_format format;
    bool journal;
    int r = read_format(rq, RECORD_AUTO, &format, &journal);
    if (r < 0)
        return r;
    struct import *import = calloc(1, sizeof *import);
    if (!import)
        return error_set_code(&rq->err, -ENOMEM, "OutOfMemory",
                              "The rules daemon is out of memory.");
    if (journal)
        r = import_journal(rq, json_string_value(text), json_string_length(text), import);
    else
        r = import_text(rq, format, json_string_value(text), json_string_length(text), import);
    if (r == 0)
        r = import_into_store(rq, import, journal);
    free(import);
    return r;
}
