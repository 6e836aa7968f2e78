#include "config/yaml_entries.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

// One level of mapping that is being read.
struct level {
    char path[YAML_KEY_MAX]; // "" at the top
    size_t entry;            // of its GROUP, unused at the top
};

struct reader {
    const char *text;
    size_t size;
    const char *file;
    struct yaml_entries *out;
    struct faults *faults;
    yaml_parser_t parser;
    struct level level[YAML_DEPTH_MAX];
    int depth;      // levels open
    bool have_key;  // the next event is the value of the last entry
    int skip;       // depth inside something that was refused; its events are dropped
    size_t at_byte; // bytes and characters that correspond, for marks
    size_t at_char;
    int broken; // negative errno that ends the reading
};

static int line_of(yaml_mark_t mark)
{
    return (int)mark.line + 1;
}

static int column_of(yaml_mark_t mark)
{
    return (int)mark.column + 1;
}

// libyaml counts characters, editors of files count bytes. Marks mostly grow, so go on from the
// last one.
static size_t byte_of(struct reader *r, yaml_mark_t mark)
{
    if (mark.index < r->at_char) {
        r->at_char = 0;
        r->at_byte = 0;
    }
    while (r->at_char < mark.index && r->at_byte < r->size) {
        r->at_byte++;
        while (r->at_byte < r->size && ((unsigned char)r->text[r->at_byte] & 0xC0U) == 0x80U)
            r->at_byte++;
        r->at_char++;
    }
    return r->at_byte;
}

static struct yaml_entry *last(struct reader *r)
{
    return &r->out->entry[r->out->count - 1];
}

static void refuse(struct reader *r, yaml_mark_t mark, const char *what)
{
    const char *key = r->have_key ? last(r)->key : "";
    (void)faults_add(r->faults, r->file, line_of(mark), column_of(mark), "%s%s%s", key,
                     *key ? ": " : "", what);
}

static bool is_word(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (length == 0 || length != strlen(text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return true;
}

static void begin_entry(struct reader *r, const yaml_event_t *event)
{
    yaml_mark_t mark = event->start_mark;
    const struct level *level = &r->level[r->depth - 1];
    if (r->out->count == YAML_ENTRIES_MAX) {
        refuse(r, mark, "the file has too many entries to be a settings file");
        r->broken = -EINVAL;
        return;
    }
    struct yaml_entry entry = {0};
    const char *word = (const char *)event->data.scalar.value;
    int n = snprintf(entry.key, sizeof entry.key, "%s%s%s", level->path, *level->path ? "." : "",
                     is_word(event) ? word : "?");
    if (!is_word(event) || n < 0 || (size_t)n >= sizeof entry.key) {
        refuse(r, mark, "a key must be a word of letters, digits, '_' and '-'");
        (void)snprintf(entry.key, sizeof entry.key, "?"); // its members are "?.…"
    } else {
        const struct yaml_entry *earlier = yaml_entries_find(r->out, entry.key);
        if (earlier)
            (void)faults_add(r->faults, r->file, line_of(mark), column_of(mark),
                             "%s is given twice, first in line %d; take one of them out", entry.key,
                             earlier->key_line);
    }
    entry.key_line = line_of(mark);
    entry.key_column = column_of(mark);
    entry.key_start = byte_of(r, mark);
    r->out->entry[r->out->count++] = entry;
    r->have_key = true;
}

static void end_value(struct reader *r, size_t end)
{
    for (int i = 1; i < r->depth; i++)
        r->out->entry[r->level[i].entry].last_end = end;
    r->have_key = false;
}

static void take_scalar(struct reader *r, const yaml_event_t *event)
{
    struct yaml_entry *entry = last(r);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    entry->line = line_of(event->start_mark);
    entry->column = column_of(event->start_mark);
    entry->value_start = byte_of(r, event->start_mark);
    entry->value_end = byte_of(r, event->end_mark);
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && length == 0) {
        entry->kind = YAML_NOTHING;
    } else if (length != strlen(text)) {
        refuse(r, event->start_mark, "the text has a NUL in it");
    } else {
        entry->kind = YAML_SCALAR;
        entry->value = strdup(text);
        if (!entry->value)
            r->broken = -ENOMEM;
    }
    end_value(r, entry->value_end);
}

static void on_scalar(struct reader *r, const yaml_event_t *event)
{
    if (event->data.scalar.anchor || event->data.scalar.tag) {
        refuse(r, event->start_mark, "anchors (&name) and tags (!name) are not used here");
        if (r->have_key)
            end_value(r, byte_of(r, event->end_mark));
        else
            r->broken = -EINVAL;
        return;
    }
    if (r->depth == 0) {
        refuse(r, event->start_mark, "a settings file begins with a section, such as `board:`");
        r->broken = -EINVAL;
    } else if (r->have_key) {
        take_scalar(r, event);
    } else {
        begin_entry(r, event);
    }
}

static void on_mapping(struct reader *r, const yaml_event_t *event)
{
    yaml_mark_t mark = event->start_mark;
    if (r->depth > 0 && !r->have_key) {
        refuse(r, mark, "a key must be a word of letters, digits, '_' and '-'");
        r->broken = -EINVAL;
        return;
    }
    if (event->data.mapping_start.anchor || event->data.mapping_start.tag) {
        refuse(r, mark, "anchors (&name) and tags (!name) are not used here");
        r->broken = -EINVAL;
        return;
    }
    if (r->depth == YAML_DEPTH_MAX) {
        refuse(r, mark, "the file is nested too deeply to be a settings file");
        r->skip = 1;
        r->have_key = false;
        return;
    }
    struct level *level = &r->level[r->depth++];
    level->path[0] = '\0';
    if (r->have_key) {
        struct yaml_entry *entry = last(r);
        entry->kind = YAML_GROUP;
        entry->line = line_of(mark);
        entry->column = column_of(mark);
        entry->value_start = byte_of(r, mark);
        level->entry = r->out->count - 1;
        (void)snprintf(level->path, sizeof level->path, "%s", entry->key);
        r->have_key = false;
    }
}

static void on_sequence(struct reader *r, const yaml_event_t *event)
{
    refuse(r, event->start_mark,
           r->depth == 0
               ? "a settings file begins with a section, such as `board:`, not with a list"
               : "a list is not used here; write one value");
    if (r->depth == 0 || !r->have_key)
        r->broken = -EINVAL;
    r->skip = 1;
    r->have_key = false;
}

static void on_mapping_end(struct reader *r, const yaml_event_t *event)
{
    if (--r->depth > 0)
        r->out->entry[r->level[r->depth].entry].value_end = byte_of(r, event->end_mark);
}

// Inside something refused: only count the way out.
static void pass_over(struct reader *r, const yaml_event_t *event)
{
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
        r->skip++;
    else if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
        r->skip--;
}

static void on_event(struct reader *r, const yaml_event_t *event, int *documents)
{
    if (r->skip > 0) {
        pass_over(r, event);
        return;
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if ((*documents)++ > 0) {
            refuse(r, event->start_mark, "the file has a second document (`---`); use one");
            r->broken = -EINVAL;
        }
        break;
    case YAML_SCALAR_EVENT:
        // A document of nothing but comments has one empty scalar in it.
        if (r->depth == 0 && event->data.scalar.length == 0)
            break;
        on_scalar(r, event);
        break;
    case YAML_MAPPING_START_EVENT:
        on_mapping(r, event);
        break;
    case YAML_MAPPING_END_EVENT:
        on_mapping_end(r, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_sequence(r, event);
        break;
    case YAML_ALIAS_EVENT:
        refuse(r, event->start_mark, "aliases (*name) are not used here; write the value");
        if (!r->have_key)
            r->broken = -EINVAL;
        r->have_key = false;
        break;
    default:
        break;
    }
}

// Bytes that are no characters have an offset but no mark.
static void place_of_byte(const struct reader *r, size_t offset, int *ret_line, int *ret_column)
{
    int line = 1;
    int column = 1;
    for (size_t i = 0; i < offset && i < r->size; i++) {
        if (r->text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)r->text[i] & 0xC0U) != 0x80U) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

static void syntax_fault(struct reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        r->broken = -ENOMEM;
        return;
    }
    int line = line_of(parser->problem_mark);
    int column = column_of(parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        place_of_byte(r, parser->problem_offset, &line, &column);
    const char *problem = parser->problem ? parser->problem : "unreadable";
    if (parser->context)
        (void)faults_add(r->faults, r->file, line, column,
                         "this is no YAML: %s %s (begun in line %d); look at the indentation, "
                         "colons and quotes here and in the line before",
                         parser->context, problem, line_of(parser->context_mark));
    else
        (void)faults_add(r->faults, r->file, line, column,
                         "this is no YAML: %s; look at the indentation, colons and quotes here and "
                         "in the line before",
                         problem);
    r->broken = -EINVAL;
}

static void read_events(struct reader *r)
{
    int documents = 0;
    bool over = false;
    while (!over && r->broken == 0) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            syntax_fault(r);
            return;
        }
        over = event.type == YAML_STREAM_END_EVENT;
        on_event(r, &event, &documents);
        yaml_event_delete(&event);
    }
}

int yaml_entries_read(const char *text, size_t size, const char *file, struct yaml_entries *ret,
                      struct faults *faults)
{
    *ret = (struct yaml_entries){0};
    if (size > YAML_FILE_MAX)
        return faults_add(faults, file, 0, 0, "the file is larger than %d bytes; settings are not",
                          YAML_FILE_MAX);
    ret->entry = calloc(YAML_ENTRIES_MAX, sizeof *ret->entry);
    struct reader *r = calloc(1, sizeof *r);
    if (!ret->entry || !r || !yaml_parser_initialize(&r->parser)) {
        free(r);
        yaml_entries_free(ret);
        return -ENOMEM;
    }
    r->text = text;
    r->size = size;
    r->file = file;
    r->out = ret;
    r->faults = faults;
    size_t before = faults->count;
    // Told the encoding, libyaml counts a byte order mark as a character, as byte_of() does.
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, size);
    read_events(r);
    yaml_parser_delete(&r->parser);
    int result = r->broken ? r->broken : faults->count > before ? -EINVAL : 0;
    free(r);
    return result;
}

void yaml_entries_free(struct yaml_entries *entries)
{
    for (size_t i = 0; entries->entry && i < entries->count; i++)
        free(entries->entry[i].value);
    free(entries->entry);
    *entries = (struct yaml_entries){0};
}

const struct yaml_entry *yaml_entries_find(const struct yaml_entries *entries, const char *key)
{
    for (size_t i = 0; i < entries->count; i++)
        if (strcmp(entries->entry[i].key, key) == 0)
            return &entries->entry[i];
    return NULL;
}
