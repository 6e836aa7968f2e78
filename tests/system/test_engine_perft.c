// `tessera-engine perft` and `playouts` against the reference counts, line by line as printed.
#include "tests/unit/rules_data.h"

#include "tests/system/program.h"

// Runs the program, which must end with that exit code.
static void run(struct program *p, int code, const char *const *arguments)
{
    assert_int_equal(program_run(p, "tessera-engine", arguments, 60), code);
}

// Bytes of the block that begins here: up to an empty line, the next block, or the end.
static size_t block_length(const char *text)
{
    size_t length = strcspn(text, "\n");
    while (text[length] == '\n' && text[length + 1] && !strchr("\n[=", text[length + 1]))
        length += 1 + strcspn(text + length + 1, "\n");
    return length;
}

// What is printed must be the whole block at `expected`, and nothing else.
static void same(const char *expected, const char *const *arguments)
{
    struct program p;
    run(&p, 0, arguments);
    size_t length = block_length(expected), printed = strlen(p.said);
    if (length < 10 || printed != length + 1 || p.said[length] != '\n' ||
        strncmp(p.said, expected, length) != 0)
        fail_msg("expected %.*s\ngot %s", (int)length, expected, p.said);
    program_free(&p);
}

static void check_perft(const char *line)
{
    char variant[32], size[8], options[128], moves[1024], depth[16];
    assert_int_equal(
        sscanf(line, "[perft] variant=%31s size=%7s o%127[^}]", variant, size, options), 3);
    const char *at = strstr(line, "moves=");
    int deepest = 0;
    snprintf(moves, sizeof moves, "%.*s", (int)(strstr(at, "   #") - at), at);
    for (const char *next = strchr(line, '\n'); next && !strncmp(next + 1, "depth", 5);
         next = strchr(next + 1, '\n'))
        deepest++;
    snprintf(depth, sizeof depth, "%d", deepest);
    same(line, (const char *[]){"perft", variant, size, depth, moves, NULL});
}

static void check_playouts(const char *line)
{
    char variant[32], options[256], count[16];
    const char *at = strstr(line, "options="), *number = strstr(line, "count=");
    assert_int_equal(sscanf(strstr(line, "variant="), "variant=%31s", variant), 1);
    assert_int_equal(sscanf(number, "count=%15s", count), 1);
    snprintf(options, sizeof options, "%.*s", (int)(number - 1 - at), at);
    same(line, (const char *[]){"playouts", variant, count, options,
                                line[1] == 'c' ? "calls" : NULL, NULL});
}

// The lines of plies stand in the reference without those of depths.
static void check_plies(const char *text)
{
    struct program p;
    char *save;
    unsigned plies = 0;
    run(&p, 0, (const char *[]){"perft", "pentago", "6", "3", NULL});
    for (char *line = strtok_r(p.said, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "ply", 3) == 0) {
            plies++;
            if (!strstr(text, line))
                fail_msg("not in the reference: %s", line);
        }
    assert_int_equal(plies, 3);
    program_free(&p);
}

static void reference_file(void **state)
{
    (void)state;
    char *text = read_file(data_path("rules/perft.txt"), NULL);
    unsigned checks = 0;
    same(strstr(text, "seed_of(0) ="), (const char *[]){"perft", "generator", NULL});
    same(strstr(text, "n marbles:"), (const char *[]){"perft", "marbles", NULL});
    check_plies(text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "[perft]", 7) == 0)
            check_perft(line);
        else if (strncmp(line, "[playouts]", 10) == 0 || strncmp(line, "[calls]", 7) == 0)
            check_playouts(line);
        else
            continue;
        checks++;
    }
    assert_true(checks > 40);
    free(text);
}

static void built_in(void **state)
{
    (void)state;
    struct program p;
    run(&p, 0, (const char *[]){"perft", "pentago", "6", "3", NULL});
    assert_non_null(
        strstr(p.said, "ply 3: distinct positions 21420, move sequences 31230360, ended 0\n"));
    program_free(&p);
    run(&p, 0, (const char *[]){"playouts", "pente", "2", NULL});
    assert_non_null(strstr(p.said, "first four: 5fcb9259a1168408 plies 125 winner 1; "
                                   "1d7c97ccf60280df plies 125 winner 1\n"));
    program_free(&p);
    static const char *const wrong[][5] = {{"perft", "pente", "9", "x"},
                                           {"perft", "pente", "9", "2", "moves=0,0"},
                                           {"playouts", "pente", "0"},
                                           {"playouts", "pente", "2", "options={'size' 9}"},
                                           {"playouts", "pente", "2", "dance"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *words[6] = {0};
        memcpy(words, wrong[i], sizeof wrong[i]);
        run(&p, 2, words);
        assert_true(strlen(p.told) > 20);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(built_in),
                                       cmocka_unit_test(reference_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
