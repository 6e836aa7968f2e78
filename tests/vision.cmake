set(VISION_RENDER unit/test_vision_render.c)

tessera_test(NAME test_vision_geometry SOURCES unit/test_vision_geometry.c LIBS tessera_vision m)
tessera_test(NAME test_vision_picture SOURCES unit/test_vision_picture.c
    LIBS tessera_vision PkgConfig::TURBOJPEG)
tessera_test(NAME test_vision_overlay SOURCES unit/test_vision_overlay.c LIBS tessera_vision m)
tessera_test(NAME test_vision_session SOURCES unit/test_vision_session.c LIBS tessera_vision)
tessera_test(NAME test_vision_reader SOURCES unit/test_vision_reader.c ${VISION_RENDER}
    LIBS tessera_vision PkgConfig::TURBOJPEG m)
tessera_test(NAME test_vision_tags SOURCES unit/test_vision_tags.c ${VISION_RENDER}
    LIBS tessera_vision PkgConfig::TURBOJPEG PkgConfig::APRILTAG m)
tessera_test(NAME test_vision_photo SOURCES unit/test_vision_photo.c ${VISION_RENDER}
    LIBS tessera_vision PkgConfig::TURBOJPEG m)
if(TARGET tessera_sim)
    foreach(what table glass blocks)
        tessera_test(NAME test_vision_${what} SOURCES unit/test_vision_${what}.c unit/vision_rig.c
            LIBS tessera_vision tessera_sim m)
    endforeach()
endif()

tessera_fuzz(NAME fuzz_vision_jpeg SOURCES fuzz/fuzz_vision_jpeg.c LIBS tessera_vision
    CORPUS fuzz/corpus/vision_jpeg)
tessera_fuzz(NAME fuzz_vision_session SOURCES fuzz/fuzz_vision_session.c LIBS tessera_vision
    CORPUS fuzz/corpus/vision_session)
tessera_fuzz(NAME fuzz_vision_avi SOURCES fuzz/fuzz_vision_avi.c LIBS tessera_vision
    CORPUS fuzz/corpus/vision_avi)

tessera_bench(NAME bench_see SOURCES bench/bench_see.c bench/see_hard.c bench/see_truth.c
    LIBS tessera_vision PkgConfig::TURBOJPEG m)
if(TARGET tessera_sim)
    tessera_bench(NAME bench_vision SOURCES bench/bench_vision.c
        LIBS tessera_vision tessera_sim PkgConfig::TURBOJPEG m)
    tessera_bench(NAME bench_cold SOURCES bench/bench_cold.c LIBS tessera_sim m)
endif()
