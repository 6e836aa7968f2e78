// The table of variants, house variants, and what makes rules that can't be played.
#include "tests/unit/rules_data.h"

#include "rules/variant.h"

static struct error err;

static void table_is_sound(void **state)
{
    (void)state;
    assert_int_equal(variant_table_count, 25);
    for (size_t i = 0; i < variant_table_count; i++) {
        const struct variant *v = &variant_table[i];
        if (variant_validate(v, &err) != 0)
            fail_msg("%s: %s", v->name, err.text);
        assert_ptr_equal(variant_find(v->name), v);
        assert_true(strlen(v->title) > 3);
        assert_true(strlen(v->source) > 0);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(v->name, variant_table[j].name);
    }
    assert_null(variant_find("chess"));
    assert_int_equal(variant_side_count(variant_find("pente-team")), 2);
    assert_int_equal(variant_side_count(variant_find("pente-points4")), 4);
}

static void unknown_names(void **state)
{
    (void)state;
    struct variant v = {.size = 3};
    assert_int_equal(variant_init(&v, "team", &err), -ENOENT);
    assert_non_null(strstr(err.text, "pente-team"));
    assert_null(strstr(err.text, "connect6"));
    assert_int_equal(variant_init(&v, "Keryo Pente", &err), -ENOENT);
    assert_non_null(strstr(err.text, "keryo-tournament"));
    assert_int_equal(variant_init(&v, "", &err), -ENOENT);
    assert_non_null(strstr(err.text, "pente"));
    assert_int_equal(
        variant_init(&v, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &err), -ENOENT);
    assert_string_equal(err.code, "UnknownVariant");
    for (size_t i = 0; i < variant_table_count; i++) // none is left out of "There are"
        assert_non_null(strstr(err.text, variant_table[i].name));
    assert_int_equal(v.size, 3);
    assert_int_equal(variant_init(&v, "keryo", &err), 0);
    assert_int_equal(v.goal, 15);
}

// Every field of every variant is read back as it was written.
static void fields_survive_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < variant_table_count; i++) {
        struct variant copy = variant_table[variant_table_count - 1 - i];
        copy.family = variant_table[i].family;
        for (size_t f = 0; f < variant_field_count(); f++) {
            char value[128];
            const char *name = variant_field_name(f);
            assert_int_equal(variant_get(&variant_table[i], name, value, sizeof value), 0);
            if (variant_set(&copy, name, value, &err) != 0)
                fail_msg("%s", err.text);
            assert_non_null(variant_field_help(name));
        }
        assert_true(variant_same_rules(&copy, &variant_table[i]));
        assert_string_equal(copy.name, variant_table[i].name);
    }
    assert_false(variant_same_rules(variant_find("pente"), variant_find("keryo")));
    assert_true(variant_same_rules(variant_find("pente-tournament"), variant_find("pente-site")));
    assert_null(variant_field_name(variant_field_count()));
    assert_null(variant_field_help("colour"));
    char value[8];
    assert_int_equal(variant_get(&variant_table[0], "colour", value, sizeof value), -ENOENT);
    assert_int_equal(variant_get(&variant_table[0], "title", value, 5), -ENOSPC);
    assert_int_equal(variant_get(&variant_table[0], "title", value, 6), 0);
}

static void expect_set(const char *field, const char *value, const char *read_back)
{
    struct variant v = *variant_find("pente");
    char text[64];
    if (variant_set(&v, field, value, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(variant_get(&v, field, text, sizeof text), 0);
    assert_string_equal(text, read_back);
}

static void values(void **state)
{
    (void)state;
    expect_set("size", "13", "13");
    expect_set("goal", "none", "none");
    expect_set("goal", "null", "none");
    expect_set("goal", "20", "20");
    expect_set("capture", "3, 2", "2,3");
    expect_set("capture", "[2]", "2");
    expect_set("capture", "", "none");
    expect_set("exact", "TRUE", "true");
    expect_set("protocol", "null", "none");
    expect_set("scoring", "points2", "points2");
    expect_set("seats", "1,2,1,2", "1,2,1,2");
    expect_set("sides", "none", "1,2");
    expect_set("labels", "red,blue", "red,blue");
    expect_set("title", "Our game", "Our game");
    expect_set("source", "", "");
}

static void bad_values(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"title", "Two\nlines"},
        {"source", "an\x1B escape"},
        {"size", "4"},
        {"size", "20"},
        {"size", "nine"},
        {"size", ""},
        {"size", "-7"},
        {"size", "9x"},
        {"size", "00000009"},
        {"goal", "400"},
        {"goal", "x"},
        {"exact", "yes"},
        {"opening", "middle"},
        {"opening", ""},
        {"capture", "4"},
        {"capture", "2,x"},
        {"seats", "1"},
        {"seats", "1,5"},
        {"seats", "1,2,1,2,1,2,1"},
        {"sides", "1,2,3,4,1"},
        {"labels", "a,b,c,d,e"},
        {"labels", "muchtoolongforalabel,b"},
        {"seats", "1,2,1,2,1,2,1,2,1"},
        {"name", ""},
        {"name", "a name that is longer than a name may be"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct variant v = *variant_find("pente"), before = v;
        if (variant_set(&v, bad[i][0], bad[i][1], &err) != -EINVAL)
            fail_msg("%s = %s was accepted", bad[i][0], bad[i][1]);
        assert_memory_equal(&v, &before, sizeof v);
        assert_string_equal(err.code, "BadOption");
        assert_non_null(strstr(err.text, bad[i][0]));
    }
    struct variant v = *variant_find("pente");
    assert_int_equal(variant_set(&v, "colour", "1", &err), -ENOENT);
    assert_string_equal(err.code, "UnknownOption");
    assert_int_equal(variant_set(&v, "colour", "1", NULL), -ENOENT);
}

// Sets fields "a=b c=d" on a variant and expects the validation to complain about `about`.
static void expect_invalid(const char *base, const char *fields, const char *about)
{
    struct variant v = *variant_find(base);
    char copy[128], *save;
    snprintf(copy, sizeof copy, "%s", fields);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        if (variant_set(&v, word, equals + 1, &err) != 0)
            fail_msg("%s", err.text);
    }
    if (!about) {
        if (variant_validate(&v, &err) != 0)
            fail_msg("%s %s: %s", base, fields, err.text);
        return;
    }
    if (variant_validate(&v, &err) != -EINVAL)
        fail_msg("%s %s was accepted", base, fields);
    if (!strstr(err.text, about))
        fail_msg("%s %s: %s", base, fields, err.text);
}

static void rules_that_do_not_fit(void **state)
{
    (void)state;
    expect_invalid("pente", "size=7 win_len=8", "win_len");
    expect_invalid("pente", "size=5 opening=tournament", "opening");
    expect_invalid("pente", "size=6 opening=g-pente", "opening");
    expect_invalid("pente", "capture=none", "goal");
    expect_invalid("pente", "seats=2,1", "seats");
    expect_invalid("pente", "seats=1,3", "seats");
    expect_invalid("pente", "seats=1,1", "seats");
    expect_invalid("pente", "sides=1,1", "sides");
    expect_invalid("pente-points3", "sides=1,3,1", "sides");
    expect_invalid("pente", "poof=true goal_unit=captures", "poof");
    expect_invalid("pente-team", "poof=true", "poof");
    expect_invalid("gomoku", "poof=true", "poof");
    expect_invalid("pente-team", "boat=true", "boat");
    expect_invalid("gomoku", "boat=true", "boat");
    expect_invalid("pente", "connect6=true", "connect6");
    expect_invalid("connect6", "seats=1,2,1,2", "connect6");
    expect_invalid("connect6", "protocol=swap2", "connect6");
    expect_invalid("connect6", "opening=tournament", "connect6");
    expect_invalid("connect6", "opening=free", NULL);
    expect_invalid("pente-partners", "protocol=dpente", "protocol");
    static const char *const pentago[] = {"size=7",         "seats=1,2,1,2",  "win_len=4",
                                          "exact=true",     "capture=2",      "opening=centre",
                                          "protocol=swap2", "connect6=true",  "poof=true",
                                          "boat=true",      "scoring=points2"};
    for (size_t i = 0; i < sizeof pentago / sizeof pentago[0]; i++)
        expect_invalid("pentago", pentago[i], "Pentago");
}

static void house_variants(void **state)
{
    (void)state;
    expect_invalid("pente", "size=13 capture=2,3 goal=12 tria=simple", NULL);
    expect_invalid("pente", "size=14", NULL);
    expect_invalid("pente", "capture=none goal=none", NULL);
    expect_invalid("pente", "seats=1,2,3 sides=1,2,3 scoring=points2", NULL);
    expect_invalid("pente", "seats=1,2,3,4,1,2 sides=1,2,1,2", NULL);
    expect_invalid("pentago", "neutral=rotsym twist=always place_wins=false", NULL);
    expect_invalid("keryo", "poof=true boat=true exact=true", NULL);
}

// Rules as one line of text: what settings, recordings and `--variant` say.
static void rules_as_text(void **state)
{
    (void)state;
    struct variant v = {.size = 3}, again;
    char text[VARIANT_TEXT_MAX], value[VARIANT_VALUE_MAX];
    assert_int_equal(
        variant_parse(&v, " pente ; size = 13;capture=2, 3;; goal=12; title=Our Pente; ", &err), 0);
    assert_string_equal(v.name, "pente");
    assert_string_equal(v.title, "Our Pente");
    assert_int_equal(v.size, 13);
    assert_int_equal(v.capture, 1 << 2 | 1 << 3);
    assert_int_equal(variant_format(&v, text, sizeof text), 0);
    assert_string_equal(text, "pente; title=Our Pente; size=13; capture=2,3; goal=12");
    snprintf(v.title, sizeof v.title, "A; B");
    assert_int_equal(variant_format(&v, text, sizeof text), 0);
    assert_string_equal(text, "pente; size=13; capture=2,3; goal=12");
    assert_int_equal(variant_format(&v, text, 20), -ENOSPC);
    assert_int_equal(variant_format(&v, text, 3), -ENOSPC);
    for (size_t i = 0; i < variant_table_count; i++) {
        struct variant other = variant_table[i];
        assert_int_equal(variant_format(&other, text, sizeof text), 0);
        assert_string_equal(text, other.name);
        assert_int_equal(variant_parse(&again, text, &err), 0);
        assert_memory_equal(&again, &variant_table[i], sizeof again);
        for (size_t f = 0; f < variant_field_count(); f++)
            assert_false(variant_differs(&other, f, value, sizeof value));
    }
    snprintf(v.name, sizeof v.name, "nobody's");
    assert_int_equal(variant_format(&v, text, sizeof text), 0);
    assert_string_equal(text, "nobody's");
    static const struct {
        const char *text;
        int code;
        const char *says;
    } wrong[] = {{"chess; size=8", -ENOENT, "There is no game called \"chess\""},
                 {"pente; size", -EINVAL, "\"size\" should read FIELD=VALUE"},
                 {"pente; title=It has to be said that a name for people can also be far too long "
                  "to be printed on one line, be it as wide as those of old printers were.",
                  -EINVAL, "title: the value is too long"},
                 {"pente; size=4", -EINVAL, "a number from 5 to 19"},
                 {"pente; colour=4", -ENOENT, "no field \"colour\""},
                 {"pente; name=mine", -EINVAL, "keep the name"},
                 {"pente; win_len=9; size=7", -EINVAL, "does not fit on 7 lines"},
                 {"", -ENOENT, "There is no game called"},
                 {"a-name-that-is-longer-than-any-name-of-a-game-can-be", -ENOENT, "no game"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        again = (struct variant){.size = 3};
        assert_int_equal(variant_parse(&again, wrong[i].text, &err), wrong[i].code);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, err.text);
        assert_int_equal(again.size, 3);
    }
    char longer[300];
    snprintf(longer, sizeof longer, "pente; title=%0200d", 1);
    assert_int_equal(variant_parse(&again, longer, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(fields_survive_text),
        cmocka_unit_test(rules_as_text),
        cmocka_unit_test(values),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(rules_that_do_not_fit),
        cmocka_unit_test(house_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
