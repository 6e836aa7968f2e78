// The daemon's life: a failing disk, the ways it is started and stopped.
#include "plain_client.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "config/base/io.h"

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    assert_int_equal(prlimit(daemon_.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

// The journal cannot grow: changes are refused with a reason, nothing has happened, questions are
// answered; and it goes on as soon as there is room.
static void test_disk_failure(void **state)
{
    (void)state;
    int fd = connect_plain(), watcher = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente-free\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"A1\"}");
    ask_and_forget(fd, "match.new", "{\"kind\":\"wins\",\"wins\":3}");
    ask_and_forget(watcher, "subscribe", "{}");
    char path[160];
    struct stat before, after;
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(stat(path, &before), 0);
    limit_file_size((rlim_t)before.st_size + 20);
    request(fd, 1, "game.play", "{\"game\":\"g1\",\"move\":\"B1\"}");
    expect_error(fd, 1, 1, "DiskFault");
    assert_int_equal(number_in(fd, "game.state", "{\"game\":\"g1\"}", "ply"), 1);
    // A whole batch: every change of it is refused, every question answered as things are.
    send_text(
        fd,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.play\",\"params\":{\"game\":\"g1\","
        "\"move\":\"B1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"game.state\",\"params\":{"
        "\"game\":\"g1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"game.new\",\"params\":{"
        "\"variant\":\"pentago\"}}\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"game.undo\","
        "\"params\":{\"game\":\"g1\"}}\n{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
        "\"match.record\",\"params\":{\"match\":\"m1\",\"winner\":1}}\n{\"jsonrpc\":\"2.0\","
        "\"id\":6,\"method\":\"match.new\",\"params\":{\"kind\":\"wins\"}}\n{\"jsonrpc\":\"2.0\","
        "\"id\":7,\"method\":\"game.resign\",\"params\":{\"game\":\"g1\",\"side\":1}}\n");
    expect_error(fd, 1, 1, "DiskFault");
    json_t *result = reply(fd, 2, "result");
    assert_int_equal(json_integer_value(json_object_get(result, "ply")), 1);
    json_decref(result);
    for (int id = 3; id <= 7; id++)
        expect_error(fd, id, 1, "DiskFault");
    assert_int_equal(number_in(fd, "game.state", "{\"game\":\"g1\"}", "ply"), 1);
    assert_int_equal(number_in(fd, "game.list", "{}", "total"), 1);
    result = ask(fd, "match.state", "{\"match\":\"m1\"}");
    assert_int_equal(json_array_size(json_object_get(result, "games")), 0);
    json_decref(result);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    limit_file_size(RLIM_INFINITY);
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"C1\"}");
    expect_event(watcher, "g1", "play", 2); // the first thing it has heard
    daemon_stop(&daemon_, SIGKILL);
    assert_true(daemon_start(&daemon_));
    int again = connect_plain();
    result = ask(again, "game.state", "{\"game\":\"g1\"}");
    char *moves = json_dumps(json_object_get(result, "moves"), JSON_COMPACT);
    assert_string_equal(moves, "[\"A1\",\"C1\"]");
    free(moves);
    json_decref(result);
    close(again);
    close(fd);
    close(watcher);
}

static void test_stop_and_start(void **state)
{
    (void)state;
    int fd = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente\"}");
    struct stat st;
    assert_int_equal(stat(daemon_.socket, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    int status = daemon_stop(&daemon_, SIGTERM);
    assert_int_equal(status, 0);
    json_t *json = read_json(fd);
    assert_string_equal(json_string_value(json_object_get(json, "method")), "closing");
    json_decref(json);
    assert_null(read_json(fd));
    close(fd);
    assert_int_equal(stat(daemon_.socket, &st), -1); // it cleans up behind itself
    assert_true(daemon_start(&daemon_));
    daemon_stop(&daemon_, SIGKILL);
    assert_int_equal(stat(daemon_.socket, &st), 0); // not when killed
    assert_true(daemon_start(&daemon_));
    fd = connect_plain();
    assert_int_equal(number_in(fd, "game.list", "{}", "total"), 1);
    close(fd);
}

// Runs the daemon with arguments; its exit code, and what it said on standard error.
static int run_daemon(char *const argv[], const char *input, char *output, size_t output_size,
                      char *error, size_t error_size)
{
    int in[2], out[2], err[2], status;
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(err[1], 2);
        close(in[1]);
        close(out[0]);
        close(err[0]);
        unsetenv("STATE_DIRECTORY");
        execv(daemon_.program, argv);
        _exit(99);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    assert_int_equal(io_write_all(NULL, in[1], input, strlen(input)), 0);
    close(in[1]);
    size_t got;
    assert_int_equal(io_read_all(NULL, out[0], output, output_size - 1, &got), 0);
    output[got] = '\0';
    assert_int_equal(io_read_all(NULL, err[0], error, error_size - 1, &got), 0);
    error[got] = '\0';
    close(out[0]);
    close(err[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char out[100000], err[4000];

static void test_command_line(void **state)
{
    (void)state;
    char *program = daemon_.program, *socket = daemon_.socket, *folder = daemon_.folder;
    struct {
        char *argv[8];
        int code;
        const char *says;
    } cases[] = {
        {{program, "--help", NULL}, 0, NULL},
        {{program, "--version", NULL}, 0, NULL},
        {{program, NULL}, 2, "--socket"},
        {{program, "--nonsense", NULL}, 2, "--help"},
        {{program, "extra", NULL}, 2, "extra"},
        {{program, "--socket", socket, NULL}, 2, "--state"},
        {{program, "--socket", folder, "--state", daemon_.state, NULL}, 1, "no socket"},
        {{program, "--socket", socket, "--state", "/proc/nowhere", NULL}, 1, "/proc/nowhere"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = run_daemon(cases[i].argv, "", out, sizeof out, err, sizeof err);
        assert_int_equal(code, cases[i].code);
        if (cases[i].says)
            assert_non_null(strstr(err, cases[i].says));
        else
            assert_non_null(strstr(out, "tessera-rulesd"));
    }
    assert_true(daemon_start(&daemon_)); // two of them: neither the folder nor the socket is shared
    char *same_folder[] = {program, "--stdio", "--state", daemon_.state, NULL};
    assert_int_equal(run_daemon(same_folder, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "another tessera-rulesd keeps its games here"));
    char *same_socket[] = {program, "--socket", socket, "--state", folder, NULL};
    assert_int_equal(run_daemon(same_socket, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "another tessera-rulesd listens here"));
}

static void test_stdio(void **state)
{
    (void)state;
    char *plain[] = {daemon_.program, "--stdio", NULL};
    const char *input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.new\",\"params\":{"
                        "\"variant\":\"pente\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
                        "\"game.play\",\"params\":{\"game\":\"g1\",\"move\":\"K10\"}}";
    assert_int_equal(run_daemon(plain, input, out, sizeof out, err, sizeof err), 0);
    assert_string_equal(err, "");
    assert_non_null(strstr(out, "\"id\":1,\"result\""));
    assert_non_null(strstr(out, "\"id\":2,\"result\""));
    char *stored[] = {daemon_.program, "--stdio", "--state", daemon_.state, NULL};
    assert_int_equal(run_daemon(stored, input, out, sizeof out, err, sizeof err), 0);
    input =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.state\",\"params\":{\"game\":\"g1\"}}\n";
    assert_int_equal(run_daemon(stored, input, out, sizeof out, err, sizeof err), 0);
    assert_non_null(strstr(out, "\"moves\":[\"K10\"]"));
    // A file as standard input and one as output are no problem either.
    char command[900], path[160];
    snprintf(path, sizeof path, "%s/in", daemon_.folder);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(file, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"game.list\"}\n", i);
    fclose(file);
    snprintf(command, sizeof command, "%s --stdio < %s > %s.out && test $(wc -l < %s.out) = 2000",
             daemon_.program, path, path, path);
    assert_int_equal(system(command), 0); // NOLINT: names of this test's own
}

// As systemd does it: the listening socket is descriptor 3.
static void test_socket_activation(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, daemon_.socket, sizeof daemon_.socket);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 4), 0);
    int client = connect_plain(); // before anybody is there to accept it
    pid_t pid = fork();
    if (pid == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)getpid());
        setenv("LISTEN_PID", number, 1);
        setenv("LISTEN_FDS", "1", 1);
        setenv("STATE_DIRECTORY", daemon_.state, 1);
        if (listener != 3) {
            dup2(listener, 3);
            close(listener);
        }
        execl(daemon_.program, daemon_.program, (char *)NULL);
        _exit(99);
    }
    close(listener);
    daemon_.pid = pid;
    ask_and_forget(client, "game.new", "{\"variant\":\"pente\"}");
    struct stat st;
    assert_int_equal(daemon_stop(&daemon_, SIGTERM), 0);
    assert_int_equal(stat(daemon_.socket, &st), 0); // systemd's, not ours to remove
    char path[160];
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(stat(path, &st), 0);
    close(client);
}

// A damaged journal: what is wrong, where, and what to do; then doing it.
static void test_salvage(void **state)
{
    (void)state;
    char *argv[] = {daemon_.program, "--stdio", "--state", daemon_.state, NULL};
    char *salvage[] = {daemon_.program, "--stdio", "--state", daemon_.state, "--salvage", NULL};
    assert_true(daemon_start(&daemon_));
    int fd = connect_plain();
    ask_and_forget(fd, "game.new", "{\"variant\":\"pente\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K10\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K11\"}");
    ask_and_forget(fd, "game.play", "{\"game\":\"g1\",\"move\":\"K12\"}");
    close(fd);
    daemon_stop(&daemon_, SIGTERM);
    char path[160], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/journal.jsonl", daemon_.state);
    assert_int_equal(io_read_file(NULL, path, 10000, &data, &size, NULL), 0);
    char *at = strstr(data, "K11");
    FILE *file = fopen(path, "r+");
    fseek(file, at - data, SEEK_SET);
    fputc('L', file);
    fclose(file);
    free(data);
    assert_int_equal(run_daemon(argv, "", out, sizeof out, err, sizeof err), 1);
    assert_non_null(strstr(err, "journal.jsonl:3: this line is damaged"));
    assert_non_null(strstr(err, "--salvage"));
    const char *input =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.state\",\"params\":{\"game\":\"g1\"}}\n";
    assert_int_equal(run_daemon(salvage, input, out, sizeof out, err, sizeof err), 0);
    assert_non_null(strstr(out, "\"moves\":[\"K10\"]"));
    assert_non_null(strstr(err, "torn-3-1.jsonl"));
    assert_int_equal(run_daemon(argv, input, out, sizeof out, err, sizeof err), 0);
    assert_string_equal(err, "");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define S(f) cmocka_unit_test_setup_teardown(f, set_up_stopped, tear_down)
    const struct CMUnitTest tests[] = {
        T(test_disk_failure), T(test_stop_and_start),    S(test_command_line),
        S(test_stdio),        S(test_socket_activation), S(test_salvage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
