tessera_test(NAME test_controller_loop SOURCES unit/test_controller_loop.c LIBS tessera_loop TIMEOUT 30)
tessera_test(NAME test_controller_state SOURCES unit/test_controller_state.c LIBS tessera_reading TIMEOUT 30)
tessera_test(NAME test_controller_reading SOURCES unit/test_controller_reading.c LIBS tessera_reading TIMEOUT 30)
tessera_test(NAME test_controller_peers SOURCES unit/test_controller_peers.c LIBS tessera_peers TIMEOUT 60)

if(TARGET tessera_controller)
    tessera_bench(NAME soak_games SOURCES soak/soak_games.c LIBS tessera_controller)
    set_target_properties(soak_games PROPERTIES LINKER_LANGUAGE CXX)
endif()
