// film_import: makes a film (film.h) of what people have: photographs of a game, or a video.
#pragma once

#include "controller/film.h"

struct import_options {
    double fps;  // pictures a second: of the film made of photographs, of a raw MJPEG stream, and
                 // those taken from a video that ffmpeg decodes
    double hold; // seconds each photograph is shown
};
struct import_options import_options_default(void); // 5 pictures a second, 4 s

struct import_report {
    unsigned pictures; // different ones
    double seconds;    // of film
};

// Puts everything from `path` into the film:
//   a folder           its *.jpg, in the order of their names
//   *.avi of MJPEG     as most webcam programs write it, with its own times
//   a raw MJPEG stream JPEGs one after the other
//   anything else      through the program ffmpeg, when it is installed
// -ENOENT: no such file; -ENOTSUP: it needs ffmpeg, which is not there; -EBADMSG: no pictures in
// it.
int film_import(const char *path, const struct import_options *options, struct film *film,
                struct import_report *ret, struct error *err);
