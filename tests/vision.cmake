set(VISION_RENDER unit/test_vision_render.c)

tessera_test(NAME test_vision_reader SOURCES unit/test_vision_reader.c ${VISION_RENDER}
    LIBS tessera_vision PkgConfig::TURBOJPEG m)

tessera_bench(NAME bench_see SOURCES bench/bench_see.c LIBS tessera_vision m)
