# Reading moves from what the camera saw, and recorded sessions.
tessera_test(NAME test_controller_variants SOURCES unit/test_controller_variants.c
    LIBS tessera_reading)

if(TARGET tessera_controller)
    tessera_test(NAME test_session_photos SOURCES system/test_session_photos.c system/program.c
        LIBS tessera_base LABEL system TIMEOUT 600)
    tessera_test(NAME test_session_tools SOURCES system/test_session_tools.c system/program.c
        LIBS tessera_base LABEL system TIMEOUT 900)
    add_dependencies(test_session_photos tessera)
    add_dependencies(test_session_tools tessera)
    tessera_bench(NAME make_films SOURCES sessions/make_films.c LIBS tessera_controller)
    set_target_properties(make_films PROPERTIES LINKER_LANGUAGE CXX)
    tessera_bench(NAME soak_vision SOURCES soak/soak_vision.c soak/vision_bout.c
        soak/vision_bout_person.c soak/vision_bout_trouble.c LIBS tessera_controller)
    set_target_properties(soak_vision PROPERTIES LINKER_LANGUAGE CXX)
    # A taste of ./dev soak vision.
    add_test(NAME test_soak_vision COMMAND soak_vision 6 --seed 10 --moves 6)
    set_tests_properties(test_soak_vision PROPERTIES TIMEOUT 600 LABELS system ENVIRONMENT "${TEST_ENV}")
endif()
