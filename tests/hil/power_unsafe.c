// power_unsafe: preloaded into programs, makes their promises empty: nothing waits for the disk any
// more. Shows that the power cuts of power.sh would find a program that forgets to.
int fsync(int fd);
int fdatasync(int fd);

int fsync(int fd)
{
    (void)fd;
    return 0;
}

int fdatasync(int fd)
{
    (void)fd;
    return 0;
}
