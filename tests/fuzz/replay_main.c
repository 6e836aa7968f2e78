// Runs a fuzz target over every file of its corpus: what the fuzzer once found stays found.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    // Exactly as long as the input, so that a sanitizer sees a read past its end.
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    size_t got = data && size > 0 ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (data)
        LLVMFuzzerTestOneInput(data, got);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int count = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (!dir) {
            perror(argv[i]);
            return 1;
        }
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (entry->d_name[0] == '.' || entry->d_type == DT_DIR)
                continue;
            failed += replay(argv[i], entry->d_name) != 0;
            count++;
        }
        closedir(dir);
    }
    printf("replayed %d inputs\n", count);
    if (count == 0)
        fprintf(stderr, "the corpus is empty: nothing was tested\n");
    return failed || count == 0;
}
