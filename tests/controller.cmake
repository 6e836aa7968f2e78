tessera_test(NAME test_controller_loop SOURCES unit/test_controller_loop.c LIBS tessera_loop TIMEOUT 30)
tessera_test(NAME test_controller_state SOURCES unit/test_controller_state.c LIBS tessera_reading TIMEOUT 30)
tessera_test(NAME test_controller_reading SOURCES unit/test_controller_reading.c LIBS tessera_reading TIMEOUT 30)
tessera_test(NAME test_controller_peers SOURCES unit/test_controller_peers.c LIBS tessera_peers TIMEOUT 60)

if(TARGET tessera_controller)
    tessera_test(NAME test_controller_map SOURCES unit/test_controller_map.c LIBS tessera_controller TIMEOUT 30)
    tessera_test(NAME test_play_kill SOURCES system/test_play_kill.c system/program.c
        LIBS tessera_base PkgConfig::JANSSON LABEL system TIMEOUT 900)
    add_dependencies(test_play_kill tessera tessera-rulesd tessera-engine)

    tessera_bench(NAME soak_games SOURCES soak/soak_games.c LIBS tessera_controller)
    set_target_properties(soak_games PROPERTIES LINKER_LANGUAGE CXX)
endif()
