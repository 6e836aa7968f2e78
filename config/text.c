#include "config/text.h"

#include <string.h>

#include "config/schema.h"
#include "config/value.h"

enum { LINE_WIDTH = 100 };

// Text broken at spaces into lines that begin with `indent` and "# ".
static void comment(FILE *out, int indent, const char *text)
{
    size_t width = LINE_WIDTH - (size_t)indent - 2;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ')
                length--;
            if (length == 0) // one long word
                length = strcspn(text, " \n");
        }
        (void)fprintf(out, "%*s#%s%.*s\n", indent, "", length > 0 ? " " : "", (int)length, text);
        text += length;
        if (*text == ' ' || *text == '\n')
            text++;
    }
}

void text_value(FILE *out, const struct settings *settings, size_t key_index)
{
    const struct schema_key *key = &schema_keys[key_index];
    char value[VALUE_TEXT_MAX];
    (void)value_print(key, settings, value, sizeof value);
    if (key->kind != SCHEMA_TEXT) {
        (void)fputs(value, out);
        return;
    }
    (void)fputc('"', out);
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            (void)fputc('\\', out);
        (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

static const char *last_part(const char *key)
{
    return strrchr(key, '.') + 1;
}

// The middle part of a key of three; length 0 when there is none.
static const char *middle_part(const char *key, size_t *ret_length)
{
    const char *first = strchr(key, '.') + 1;
    const char *second = strchr(first, '.');
    *ret_length = second ? (size_t)(second - first) : 0;
    return first;
}

// "8 to 100 mm", with what needs a restart.
static void print_key(FILE *out, const struct settings *settings, size_t i, int indent)
{
    const struct schema_key *key = &schema_keys[i];
    char allowed[VALUE_TEXT_MAX];
    char text[2 * VALUE_TEXT_MAX];
    (void)value_allowed(key, allowed, sizeof allowed);
    if (key->kind == SCHEMA_TEXT || key->kind == SCHEMA_BOOLEAN)
        (void)snprintf(text, sizeof text, "%s", key->meaning);
    else
        (void)snprintf(text, sizeof text, "%s (%s)", key->meaning, allowed);
    comment(out, indent, text);
    (void)fprintf(out, "%*s%s: ", indent, "", last_part(key->key));
    text_value(out, settings, i);
    (void)fputc('\n', out);
}

static void print_section(FILE *out, const struct settings *settings, const char *section)
{
    const char *open = ""; // middle part whose group is open
    size_t open_length = 0;
    size_t length = strlen(section);
    for (size_t i = 0; i < schema_key_count; i++) {
        const char *key = schema_keys[i].key;
        if (strncmp(key, section, length) != 0 || key[length] != '.')
            continue;
        size_t middle_length;
        const char *middle = middle_part(key, &middle_length);
        if (middle_length > 0 &&
            (middle_length != open_length || strncmp(middle, open, middle_length) != 0)) {
            (void)fprintf(out, "  %.*s:\n", (int)middle_length, middle);
            open = middle;
            open_length = middle_length;
        }
        print_key(out, settings, i, middle_length > 0 ? 4 : 2);
    }
}

void text_sample(FILE *out, const struct settings *settings, const char *head)
{
    if (head)
        comment(out, 0, head);
    comment(out, 0,
            "A setting that is taken out has its default. Lengths in mm, times in s; other units "
            "may be written: 2.2 cm, 12000 mm/min, 20 ms.\n"
            "After a change: tessera-config check");
    for (size_t i = 0; i < schema_section_count; i++) {
        (void)fputc('\n', out);
        comment(out, 0, schema_sections[i].meaning);
        (void)fprintf(out, "%s:\n", schema_sections[i].name);
        print_section(out, settings, schema_sections[i].name);
    }
}

// scdoc gives these a meaning.
static void print_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("_*\\#~<>`[]", *text))
            (void)fputc('\\', out);
        (void)fputc(*text, out);
    }
}

void text_manual(FILE *out)
{
    (void)fputs("# SETTINGS\n", out);
    for (size_t s = 0; s < schema_section_count; s++) {
        const struct schema_section *section = &schema_sections[s];
        size_t length = strlen(section->name);
        (void)fprintf(out, "\n## %s\n\n", section->name);
        print_escaped(out, section->meaning);
        (void)fputs(".\n\n", out);
        for (size_t i = 0; i < schema_key_count; i++) {
            const struct schema_key *key = &schema_keys[i];
            if (strncmp(key->key, section->name, length) != 0 || key->key[length] != '.')
                continue;
            char allowed[VALUE_TEXT_MAX];
            (void)fputc('*', out);
            print_escaped(out, key->key);
            (void)fputs("*\n\t", out);
            print_escaped(out, key->meaning);
            (void)fputs(". Allowed: ", out);
            print_escaped(out, value_allowed(key, allowed, sizeof allowed));
            (void)fputs(". Default: ", out);
            print_escaped(out, key->initial[0] ? key->initial : "empty");
            (void)fprintf(out, ".%s\n\n", key->restart ? "" : " Read when a game begins.");
        }
    }
}

void text_completion(FILE *out)
{
    (void)fputs(
        "# bash completion of tessera-config; made by `tessera-config completion`\n"
        "_tessera_config()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local commands='init check show set keys ports calibrate doctor backup restore "
        "completion'\n"
        "    local parts='panel camera board arm stones gripper all'\n"
        "    local keys='",
        out);
    for (size_t i = 0; i < schema_key_count; i++)
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", schema_keys[i].key);
    (void)fputs("'\n    case $before in\n", out);
    for (size_t i = 0; i < schema_key_count; i++) {
        const struct schema_key *key = &schema_keys[i];
        if (key->kind != SCHEMA_CHOICE && key->kind != SCHEMA_BOOLEAN)
            continue;
        (void)fprintf(out, "    %s) COMPREPLY=($(compgen -W '", key->key);
        if (key->kind == SCHEMA_BOOLEAN)
            (void)fputs("true false", out);
        for (int c = 0; key->kind == SCHEMA_CHOICE && key->choices[c]; c++)
            (void)fprintf(out, "%s%s", c > 0 ? " " : "", key->choices[c]);
        (void)fputs("' -- \"$word\")); return ;;\n", out);
    }
    (void)fputs(
        "    show|set|keys) COMPREPLY=($(compgen -W \"$keys\" -- \"$word\")); return ;;\n"
        "    calibrate) COMPREPLY=($(compgen -W \"$parts\" -- \"$word\")); return ;;\n"
        "    --config|check|backup|restore) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "    esac\n"
        "    if [[ $word == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W '--config --set --json --quiet --verbose --help "
        "--version --origin --force --probe --preset --format --output --bundle --sim --seed "
        "--yes' -- "
        "\"$word\"))\n"
        "    elif [[ $COMP_CWORD -eq 1 ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
        "    fi\n"
        "}\n"
        "complete -F _tessera_config tessera-config\n",
        out);
}
