// referee: the rules daemon on the loop, for one game at a time.
//
// Connects to a running tessera-rulesd or starts a private one. Keeps a copy of the game that is
// checked against the daemon's board after every change, so that reading a board costs no calls.
// One request at a time. A lost connection is mended by itself: the connection is made anew and a
// play is repeated with the same ply, which the daemon answers without playing it twice; what can't
// be repeated is done again only when the game shows that it was not done.
#pragma once

#include <stdbool.h>

#include "config/base/error.h"
#include "controller/loop.h"
#include "rules/daemon/client.h"

struct referee;

// Exactly one call per request. effect: of a play, else NULL. err NULL = done, and the game and
// state have been brought up to date. An illegal move is an err with code "IllegalMove";
// one that is refused though our copy allows it, "GameChanged": somebody else plays in this game.
// May make the next request; must not free the referee.
typedef void referee_fn(void *user, const struct rules_effect *effect, const struct error *err);

// settings as of rules_client_open().
int referee_new(struct loop *loop, const struct rules_client_settings *settings,
                struct referee **ret, struct error *err);
struct referee *referee_free(struct referee *referee); // NULL allowed; drops an open request

// These return 0 when the request is under way, -EBUSY when one is open already, -ESTALE (none but
// begin and continue) while the copy is stale. `variant`: rules as text (rules/variant.h).
int referee_begin(struct referee *referee, const char *variant, const struct rules_player *players,
                  unsigned player_count, referee_fn *fn, void *user);
int referee_continue(struct referee *referee, const char *game, referee_fn *fn, void *user);
int referee_play(struct referee *referee, struct move move, referee_fn *fn, void *user);
int referee_undo(struct referee *referee, unsigned plies, referee_fn *fn, void *user);
int referee_resign(struct referee *referee, unsigned side, referee_fn *fn, void *user);
int referee_draw(struct referee *referee, unsigned side, referee_fn *fn, void *user);

bool referee_busy(const struct referee *referee);
// A request failed, and it is not known whether it was carried out: referee_continue() reads the
// game anew. Until then nothing is asked for that depends on how the game stands.
bool referee_stale(const struct referee *referee);
const struct game *referee_game(const struct referee *referee);         // the position
const struct rules_state *referee_state(const struct referee *referee); // as the daemon told it
