#include "config/nearest.h"

#include <ctype.h>
#include <string.h>

static int fold(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

static int min2(int a, int b)
{
    return a < b ? a : b;
}

int nearest_distance(const char *a, const char *b)
{
    size_t length_a = strlen(a);
    size_t length_b = strlen(b);
    if (length_a >= NEAREST_WORD_MAX || length_b >= NEAREST_WORD_MAX)
        return NEAREST_WORD_MAX;
    int d[NEAREST_WORD_MAX][NEAREST_WORD_MAX];
    for (size_t i = 0; i <= length_a; i++)
        d[i][0] = (int)i;
    for (size_t j = 0; j <= length_b; j++)
        d[0][j] = (int)j;
    for (size_t i = 1; i <= length_a; i++) {
        for (size_t j = 1; j <= length_b; j++) {
            int differs = fold(a[i - 1]) != fold(b[j - 1]);
            int best = min2(min2(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + differs);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                best = min2(best, d[i - 2][j - 2] + 1);
            d[i][j] = best;
        }
    }
    return d[length_a][length_b];
}

void nearest_begin(struct nearest *nearest, const char *text)
{
    nearest->text = text;
    nearest->best = NULL;
    nearest->distance = NEAREST_WORD_MAX;
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    int distance = nearest_distance(nearest->text, word);
    const char *dot = strrchr(word, '.');
    const char *text_dot = strrchr(nearest->text, '.');
    // A right word in the wrong place is nearer than most, but not than a slip of the finger.
    if (dot && strcmp(text_dot ? text_dot : nearest->text, text_dot ? dot : dot + 1) == 0)
        distance = min2(distance, 2);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = word;
    }
}

const char *nearest_found(const struct nearest *nearest)
{
    int letters = (int)strlen(nearest->text);
    int allowed = letters < 3 ? 1 : (letters + 2) / 3;
    return nearest->distance <= allowed ? nearest->best : NULL;
}
