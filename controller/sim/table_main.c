// tessera-table: the simulated table as a program of its own, on the real clock, for those who want
// its hardware without the game: calibration, other senders, tests on real drivers.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/sim/table.h"
#include "controller/sim/table_serve.h"

#define LINK_LOOK_NS INT64_C(100000000) // between two looks at the tty's name

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
    const char *file, *panel, *frames, *link, *picture;
    bool random, hal, strict, mcode;
    uint64_t seed;
    int width, height; // of a picture, pixels; 0 = as in the setup
    double fps;
};

static const struct option OPTIONS[] = {
    {"seed", required_argument, NULL, 's'},      {"random", no_argument, NULL, 'r'},
    {"table", required_argument, NULL, 't'},     {"panel", required_argument, NULL, 'p'},
    {"frames", required_argument, NULL, 'f'},    {"camera", required_argument, NULL, 'c'},
    {"link", required_argument, NULL, 'l'},      {"picture", required_argument, NULL, 'o'},
    {"grblhal", no_argument, NULL, 'g'},         {"strict-baud", no_argument, NULL, 'b'},
    {"vacuum-by-mcode", no_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},         {0}};

static void print_help(void)
{
    puts("Usage: tessera-table [options]\n"
         "The simulated table: a plotter on a tty, a camera, a panel. Prints the tty's path.\n"
         "\n"
         "  --seed N            another run of the same table (default 1)\n"
         "  --random            another room, camera, light, board and stones for every seed\n"
         "  --table FILE        keep the table in FILE; go on with it if it exists\n"
         "  --panel SOCKET      buttons, lamps, person and faults as lines of text\n"
         "  --frames SOCKET|-   the camera's JPEGs, one after the other\n"
         "  --camera WxH@RATE   another size of its pictures, and how many a second (1280x720@15)\n"
         "  --link PATH         a symbolic link to the tty\n"
         "  --picture FILE      write one picture of the table and end\n"
         "  --grblhal           the plotter runs grblHAL instead of Grbl 1.1h\n"
         "  --strict-baud       it answers garbage unless the tty is set to 115200\n"
         "  --vacuum-by-mcode   M3 and M8 run the pump\n"
         "  --help, --version");
}

static bool read_camera(const char *text, struct options *o)
{
    int end = 0;
    return sscanf(text, "%dx%d@%lf%n", &o->width, &o->height, &o->fps, &end) == 3 && !text[end] &&
           o->width > 0 && o->height > 0 && o->fps > 0;
}

// The same lens before a sensor with fewer or more pixels: what it shows stays where it was, so the
// shape of the picture has to stay, too.
static int apply_camera(const struct options *o, struct setup_camera *c, struct error *err)
{
    if (!o->width)
        return 0;
    if ((int64_t)o->width * c->height != (int64_t)o->height * c->width)
        return error_set(err, -EINVAL, "A picture of %dx%d has not the shape of %dx%d.", o->width,
                         o->height, c->width, c->height);
    const double scale = (double)o->width / c->width;
    c->width = o->width;
    c->height = o->height;
    c->fps = o->fps;
    c->lens.f *= scale;
    c->lens.cx = (c->lens.cx + 0.5) * scale - 0.5; // a pixel's coordinates are its middle's
    c->lens.cy = (c->lens.cy + 0.5) * scale - 0.5;
    return 0;
}

// 0, or an exit code + 1.
static int read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.seed = 1};
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        char *end;
        switch (c) {
        case 's':
            errno = 0;
            o->seed = strtoull(optarg, &end, 10);
            if (errno || *end || end == optarg) {
                fprintf(stderr, "tessera-table: --seed wants a number, not \"%s\".\n", optarg);
                return EXIT_USAGE + 1;
            }
            break;
        case 'r':
            o->random = true;
            break;
        case 't':
            o->file = optarg;
            break;
        case 'p':
            o->panel = optarg;
            break;
        case 'c':
            if (!read_camera(optarg, o)) {
                fprintf(stderr,
                        "tessera-table: --camera wants a size and a rate such as 1280x720@15, "
                        "not \"%s\".\n",
                        optarg);
                return EXIT_USAGE + 1;
            }
            break;
        case 'f':
            o->frames = optarg;
            break;
        case 'l':
            o->link = optarg;
            break;
        case 'o':
            o->picture = optarg;
            break;
        case 'g':
            o->hal = true;
            break;
        case 'b':
            o->strict = true;
            break;
        case 'm':
            o->mcode = true;
            break;
        case 'h':
            print_help();
            return EXIT_DONE + 1;
        case 'V':
            puts("tessera-table " TESSERA_VERSION);
            return EXIT_DONE + 1;
        default:
            return EXIT_USAGE + 1;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "tessera-table: \"%s\" is not an option.\n", argv[optind]);
        return EXIT_USAGE + 1;
    }
    return 0;
}

static void on_signal(void *user, int signo)
{
    (void)signo;
    loop_exit(user, EXIT_DONE);
}

// The link follows the tty, which has another name after each unplugging, as udev's links do.
struct link {
    struct loop *loop;
    struct loop_source *timer;
    struct table *table;
    const char *path; // NULL = none is wanted
    char target[64];  // "" = unplugged
};

static int set_link(struct link *l)
{
    const char *tty = table_serial_path(l->table);
    if (strcmp(tty ? tty : "", l->target) == 0)
        return 0;
    snprintf(l->target, sizeof l->target, "%s", tty ? tty : "");
    unlink(l->path);
    return tty && symlink(tty, l->path) < 0 ? -errno : 0;
}

static void on_link_timer(void *user, int64_t now)
{
    struct link *l = user;
    if (set_link(l) < 0)
        fprintf(stderr, "tessera-table: %s: no link can be made there.\n", l->path);
    loop_source_set_due(l->timer, now + LINK_LOOK_NS);
}

static int keep_link(struct link *l, struct error *err)
{
    const int r = set_link(l);
    if (r < 0)
        return error_set(err, r, "%s: no link can be made there: %s.", l->path, strerror(-r));
    return loop_add_timer(l->loop, loop_now(l->loop), on_link_timer, l, &l->timer);
}

struct picture {
    struct loop *loop;
    struct table *table;
    const char *path;
};

static void take_picture(void *user, int fd, uint32_t revents)
{
    const struct picture *p = user;
    struct frame_source *camera = table_camera(p->table);
    struct frame frame;
    struct error err;
    (void)fd;
    (void)revents;
    int r = camera->ops->read(camera->impl, &frame, &err);
    if (r == -EAGAIN)
        return;
    FILE *file = r == 0 ? fopen(p->path, "wb") : NULL;
    const bool written = file && fwrite(frame.data, 1, frame.size, file) == frame.size;
    if ((file && fclose(file) != 0) || !written) {
        fprintf(stderr, "tessera-table: %s: %s.\n", p->path, r < 0 ? err.text : strerror(errno));
        loop_exit(p->loop, EXIT_FAILED);
        return;
    }
    loop_exit(p->loop, EXIT_DONE);
}

static int run(const struct options *o, struct loop *loop, struct table *table, struct error *err)
{
    struct table_serve *serve = NULL;
    struct picture picture = {.loop = loop, .table = table, .path = o->picture};
    struct link link = {.loop = loop, .table = table, .path = o->link};
    const char *path = table_serial_path(table);
    int r = link.path ? keep_link(&link, err) : 0;
    if (r == 0)
        r = table_serve_new(loop, table, o->panel, o->frames, &serve, err);
    if (r == 0 && o->picture) {
        struct frame_source *camera = table_camera(table);
        r = loop_add_io(loop, camera->ops->fd(camera->impl), 1, take_picture, &picture, NULL);
    } else if (r == 0) {
        // Standard output may be the camera's.
        fprintf(o->frames && strcmp(o->frames, "-") == 0 ? stderr : stdout, "%s\n", path);
        fflush(NULL);
    }
    if (r == 0)
        r = loop_run(loop);
    table_serve_free(serve);
    if (o->link)
        unlink(o->link);
    return r;
}

int main(int argc, char **argv)
{
    struct options o;
    const int usage = read_options(argc, argv, &o);
    if (usage)
        return usage - 1;
    struct table_setup setup;
    if (o.random)
        table_setup_random(o.seed, &setup);
    else
        table_setup_default(&setup);
    setup.seed = o.seed;
    setup.firmware.flavour = o.hal ? SETUP_GRBLHAL : SETUP_GRBL;
    setup.firmware.strict_baud = o.strict;
    setup.gripper.vacuum_by_mcode = o.mcode;

    struct loop *loop = NULL;
    struct table *table = NULL;
    struct error err = {0};
    int r = apply_camera(&o, &setup.camera, &err);
    if (r == 0)
        r = loop_new_real(&loop);
    if (r == 0)
        r = table_new(&setup, loop, o.file, &table, &err);
    if (r == 0)
        r = loop_add_endings(loop, on_signal, loop, NULL);
    if (r == 0)
        r = run(&o, loop, table, &err);
    if (r < 0)
        fprintf(stderr, "tessera-table: %s\n", err.text[0] ? err.text : strerror(-r));
    table_free(table);
    loop_free(loop);
    return r < 0 ? EXIT_FAILED : r;
}
