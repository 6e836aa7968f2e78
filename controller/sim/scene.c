// From the world to what can be seen of it.
#include "controller/sim/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/base/clock.h"

enum { BOWL_SHOWN = 19 }; // stones on top of a bowl: one, six around it, twelve around those

#define CLOUD_S 4.0

static void add(struct scene *scene, const struct world *world, int i, double x, double y, double z)
{
    const struct world_stone *s = &world->stone[i];
    if (scene->stones == SCENE_STONES_MAX)
        return;
    scene->stone[scene->stones++] = (struct scene_stone){
        .x = (float)x,
        .y = (float)y,
        .z = (float)z,
        .radius = (float)s->radius,
        .height = (float)s->height,
        .turn = (float)s->turn,
        .id = (int16_t)i,
        .colour = (int16_t)world->setup.stones.colour[s->colour - 1],
    };
}

// Rings of stones, as they lie in a shallow bowl.
static void add_bowl(struct scene *scene, const struct world *world, int bowl)
{
    const struct setup_place *place = &world->setup.bowl[bowl];
    int shown = 0;
    for (int i = 0; i < world->stone_count && shown < BOWL_SHOWN; i++) {
        const struct world_stone *s = &world->stone[i];
        if (s->place != PLACE_BOWL || s->holder != bowl)
            continue;
        const int ring = shown == 0 ? 0 : shown < 7 ? 1 : 2;
        const int of = ring == 1 ? 6 : 12, k = ring == 1 ? shown - 1 : shown - 7;
        const double angle = ring ? 2 * M_PI * k / of + bowl : 0;
        const double r = ring * 2.06 * s->radius;
        add(scene, world, i, place->x + r * cos(angle), place->y + r * sin(angle), 4 - ring);
        shown++;
    }
}

static void add_carried(struct scene *scene, const struct world *world, int i, double x, double y,
                        double z)
{
    if (i < 0 || scene->moving == SCENE_MOVING_MAX)
        return;
    const int at = scene->stones;
    if (at == SCENE_STONES_MAX)
        return;
    add(scene, world, i, x, y, z); // made like the others, but kept apart
    scene->carried[scene->moving++] = scene->stone[at];
    scene->stones = at;
}

static double distance(const struct scene *scene, const struct scene_stone *s)
{
    const double dx = s->x - scene->eye[0], dy = s->y - scene->eye[1];
    return dx * dx + dy * dy - 1e4 * s->z; // higher ones last
}

struct ordered {
    double distance;
    int index;
};

static int farther_first(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance > y->distance ? -1 : 1;
    return x->index - y->index;
}

static void sort(struct scene *scene)
{
    struct ordered order[SCENE_STONES_MAX];
    static _Thread_local struct scene_stone copy[SCENE_STONES_MAX];
    for (int i = 0; i < scene->stones; i++)
        order[i] = (struct ordered){distance(scene, &scene->stone[i]), i};
    qsort(order, (size_t)scene->stones, sizeof order[0], farther_first);
    memcpy(copy, scene->stone, (size_t)scene->stones * sizeof copy[0]);
    for (int i = 0; i < scene->stones; i++)
        scene->stone[i] = copy[order[i].index];
}

static void take_light(struct scene *scene, const struct world *world,
                       const struct scene_light *light, int64_t t_ns)
{
    const struct setup_camera *c = &world->setup.camera;
    for (int a = 0; a < 3; a++) {
        scene->eye[a] = c->eye[a] + light->bump[a];
        scene->target[a] = c->target[a] + light->bump[3 + a];
    }
    scene->roll_deg = c->roll_deg;
    scene->blur = hypot(c->blur, light->blur);
    scene->glare = light->glare;
    double gain = light->gain;
    const double age = (double)(t_ns - light->cloud_ns) / 1e9;
    if (light->cloud > 0 && age >= 0 && age < CLOUD_S)
        gain *= 1 - light->cloud * 0.5 * (1 - cos(2 * M_PI * age / CLOUD_S));
    gain *= fmax(0.2, 1 + light->drift * (double)(t_ns - light->drift_ns) / 60e9);
    // A cloud takes more of the warm light than of the blue sky.
    scene->light[0] = gain;
    scene->light[1] = pow(gain, 0.98);
    scene->light[2] = pow(gain, 0.93);
}

void scene_take(struct scene *scene, const struct world *world, const struct scene_light *light,
                int64_t t_ns)
{
    scene->stones = scene->moving = 0;
    take_light(scene, world, light, t_ns);
    scene->tool[0] = world->tool.x;
    scene->tool[1] = world->tool.y;
    scene->tool[2] = world->tool.z;
    for (int b = 0; b < WORLD_BLOCKS; b++)
        scene->block[b] = 90.0 * world->block_quarters[b] + world_block_angle(world, b + 1);
    scene->hand = world->hand;
    for (int i = 0; i < world->stone_count; i++) {
        const struct world_stone *s = &world->stone[i];
        if (s->place == PLACE_TABLE ||
            (s->place == PLACE_STORE && world->store[s->holder].exposed == i))
            add(scene, world, i, s->x, s->y, s->z);
        else if (s->place == PLACE_CUP)
            add_carried(scene, world, i, s->x, s->y, s->z);
    }
    for (int c = 0; c < world->setup.stones.colours; c++)
        add_bowl(scene, world, c);
    const struct world_hand *h = &world->hand;
    if (h->present) {
        add_carried(scene, world, h->stone, h->x, h->y, h->z - 8);
        add_carried(scene, world, h->second, h->x - 6, h->y - 22, h->z - 4);
    }
    sort(scene);
}
