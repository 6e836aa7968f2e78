#include "rules/engine/tool_rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int tool_rules_init(struct tool_rules *rules, const char *name, struct error *err)
{
    *rules = (struct tool_rules){0};
    return variant_init(&rules->variant, name, err);
}

// Appends to a text of `size` bytes. False, and nothing appended, when it would not fit.
static bool append(char *text, size_t size, const char *separator, const char *more)
{
    size_t used = strlen(text), between = used ? strlen(separator) : 0, length = strlen(more);
    if (used + between + length >= size)
        return false;
    memcpy(text + used, separator, between); // NOLINT: the end of the text follows
    memcpy(text + used + between, more, length + 1);
    return true;
}

// The option as the reference writes it: 'size': 13, 'twist': 'always', 'place_wins': False.
static bool tell_option(struct tool_rules *rules, const char *field, const char *value)
{
    char item[2 * TOOL_WORD_MAX + 8];
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        snprintf(item, sizeof item, "'%s': %s", field, *value == 't' ? "True" : "False");
    else if (value[strspn(value, "0123456789")] == '\0')
        snprintf(item, sizeof item, "'%s': %s", field, value);
    else
        snprintf(item, sizeof item, "'%s': '%s'", field, value);
    return append(rules->options, sizeof rules->options, ", ", item);
}

int tool_rules_set(struct tool_rules *rules, const char *field, const char *value, bool told,
                   struct error *err)
{
    char canonical[TOOL_WORD_MAX];
    int r = variant_set(&rules->variant, field, value, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < variant_field_count(); i++) {
        if (strcmp(variant_field_name(i), field) != 0)
            continue;
        if (rules->fields_given >> i & 1)
            return error_set(err, -EINVAL, "%s is given twice. Say it once.", field);
        rules->fields_given |= 1ull << i;
    }
    if (variant_get(&rules->variant, field, canonical, sizeof canonical) < 0)
        snprintf(canonical, sizeof canonical, "%.*s", TOOL_WORD_MAX - 1, value);
    if (told && !tell_option(rules, field, canonical))
        return error_set(err, -E2BIG, "More options than can be told.");
    return 0;
}

// Reads a word of options={…}: quoted, a list in brackets, or bare. Returns what follows it, NULL
// when there is no word or it is too long.
static const char *read_word(const char *at, char word[TOOL_WORD_MAX])
{
    size_t length;
    char quote = *at, end[] = {quote == '[' ? ']' : quote, '\0'};
    bool enclosed = quote == '\'' || quote == '"' || quote == '[';
    if (enclosed) {
        length = strcspn(++at, end);
        if (!at[length])
            return NULL;
    } else {
        length = strcspn(at, " :,{}[]'\"");
        if (length == 0)
            return NULL;
    }
    if (length >= TOOL_WORD_MAX)
        return NULL;
    memcpy(word, at, length);
    word[length] = '\0';
    at += length + enclosed;
    return at + strspn(at, " ");
}

// Python's words for values that settings write in small letters.
static void lower_keyword(char *value)
{
    static const char *const keywords[] = {"True", "False", "None"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(value, keywords[i]) == 0)
            value[0] = (char)tolower((unsigned char)value[0]);
}

static int read_options(struct tool_rules *rules, const char *text, struct error *err)
{
    char field[TOOL_WORD_MAX], value[TOOL_WORD_MAX];
    const char *at = text;
    if (*at != '{')
        goto bad;
    at += 1 + strspn(at + 1, " ");
    while (*at != '}') {
        const char *next = read_word(at, field);
        if (!next || *next != ':')
            goto bad;
        at = next + 1 + strspn(next + 1, " ");
        next = read_word(at, value);
        if (!next || (*next != ',' && *next != '}'))
            goto bad;
        at = *next == ',' ? next + 1 + strspn(next + 1, " ") : next;
        lower_keyword(value);
        int r = tool_rules_set(rules, field, value, true, err);
        if (r < 0)
            return r;
    }
    if (at[1] == '\0')
        return 0;
    at++;
bad:
    return error_set(err, -EINVAL,
                     "options=%s cannot be read from character %d on. Write it like "
                     "\"options={'size': 13, 'twist': 'always'}\", in double quotes for the shell.",
                     text, (int)(at - text) + 1);
}

// options={…} that the shell cut at blanks: puts words together until the brace is closed. Returns
// how many words it took, or negative errno.
static int join_options(struct tool_rules *rules, int count, char **words, struct error *err)
{
    char text[TOOL_OPTIONS_MAX] = "";
    int used = 0;
    do
        if (!append(text, sizeof text, " ", words[used] + (used ? 0 : strlen("options="))))
            return error_set(err, -E2BIG, "options= is longer than %d characters.",
                             TOOL_OPTIONS_MAX - 1);
    while (!strchr(words[used++], '}') && used < count);
    int r = read_options(rules, text, err);
    return r < 0 ? r : used;
}

static bool looks_like_move(const char *word)
{
    return isdigit((unsigned char)*word) || strcmp(word, "first") == 0 ||
           strcmp(word, "second") == 0 || strcmp(word, "pass") == 0;
}

// moves=… and the words after it that are moves. Returns how many words it took.
static int join_moves(struct tool_rules *rules, int count, char **words, struct error *err)
{
    const char *text = words[0] + strlen("moves=");
    int used = 0;
    if (strcmp(text, "-") == 0)
        return 1;
    do {
        if (!append(rules->moves, sizeof rules->moves, " ", text))
            return error_set(err, -E2BIG, "moves= is longer than %d characters.",
                             TOOL_MOVES_MAX - 1);
        used++;
        text = used < count ? words[used] : "";
    } while (looks_like_move(text));
    return used;
}

static int read_field(struct tool_rules *rules, const char *word, struct error *err)
{
    char field[TOOL_WORD_MAX];
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || equals - word >= TOOL_WORD_MAX)
        return error_set(err, -EINVAL,
                         "\"%s\" is not understood. What can follow is FIELD=VALUE, "
                         "\"options={…}\", \"moves=x,y …\" (perft) and calls (playouts).",
                         word);
    snprintf(field, sizeof field, "%.*s", (int)(equals - word), word);
    return tool_rules_set(rules, field, equals + 1, true, err);
}

int tool_rules_read(struct tool_rules *rules, int count, char **words, struct error *err)
{
    for (int i = 0; i < count;) {
        int used = 1, r = 0;
        if (strncmp(words[i], "options=", 8) == 0)
            used = r = join_options(rules, count - i, words + i, err);
        else if (strncmp(words[i], "moves=", 6) == 0)
            used = r = join_moves(rules, count - i, words + i, err);
        else if (strcmp(words[i], "calls") == 0)
            rules->calls = true;
        else
            r = read_field(rules, words[i], err);
        if (r < 0)
            return r;
        i += used;
    }
    return variant_validate(&rules->variant, err);
}

// "4,4", "4,4,8" in Pentago, or a choice.
static bool read_move(const char *word, bool twists, struct move *ret)
{
    static const char *const choices[] = {"first", "second", "pass"};
    static const enum move_kind kinds[] = {MOVE_FIRST, MOVE_SECOND, MOVE_PASS};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(word, choices[i]) == 0) {
            *ret = move_choice(kinds[i]);
            return true;
        }
    if (strspn(word, "0123456789,") != strlen(word))
        return false;
    int x, y, t = 0, end = 0;
    if (sscanf(word, "%2d,%2d%n", &x, &y, &end) != 2)
        return false;
    if (twists && word[end] == ',') {
        int more = 0;
        if (sscanf(word + end, ",%1d%n", &t, &more) != 1 || t > 8)
            return false;
        end += more;
    }
    *ret = move_place(0, x, y);
    if (t > 0)
        *ret =
            move_twist(0, x, y, (t - 1) / 2 + 1, t & 1 ? PENTAGO_CLOCKWISE : PENTAGO_ANTICLOCKWISE);
    return word[end] == '\0';
}

int tool_rules_start(const struct tool_rules *rules, struct game *game, struct error *err)
{
    char text[TOOL_MOVES_MAX], why[256], *save;
    bool pentago = rules->variant.family == FAMILY_PENTAGO;
    int number = 0;
    memcpy(text, rules->moves, sizeof text);
    game_init(game, &rules->variant);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        struct move move;
        number++;
        if (!read_move(word, pentago, &move))
            return error_set(err, -EINVAL, "moves: \"%s\" (number %d) is not a move. Write %s.",
                             word, number,
                             pentago ? "x,y or x,y,t, all from 0, t = 0 to 8"
                                     : "x,y, both from 0, or first, second, pass");
        enum reason reason = game_play(game, move, NULL);
        if (reason != REASON_NONE)
            return error_set(err, -EINVAL, "moves: \"%s\" (number %d) cannot be played. %s", word,
                             number, reason_explain(reason, game, &move, why, sizeof why));
    }
    return 0;
}
