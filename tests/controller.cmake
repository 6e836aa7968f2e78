tessera_test(NAME test_controller_loop SOURCES unit/test_controller_loop.c LIBS tessera_loop)
tessera_test(NAME test_controller_state SOURCES unit/test_controller_state.c LIBS tessera_reading)
tessera_test(NAME test_controller_next_stone SOURCES unit/test_controller_next_stone.c
    LIBS tessera_reading)
tessera_test(NAME test_controller_home_check SOURCES unit/test_controller_home_check.c
    LIBS tessera_reading)
tessera_test(NAME test_controller_reading SOURCES unit/test_controller_reading.c LIBS tessera_reading)
tessera_test(NAME test_controller_players SOURCES unit/test_controller_players.c LIBS tessera_peers)
tessera_test(NAME test_controller_referee SOURCES unit/test_controller_referee.c unit/mortal_rulesd.c
    LIBS tessera_peers)
tessera_test(NAME test_controller_log SOURCES unit/test_controller_log.c LIBS tessera_peers)

if(TARGET tessera_controller)
    tessera_test(NAME test_controller_controls SOURCES unit/test_controller_controls.c
        LIBS tessera_controller)
    set_target_properties(test_controller_controls PROPERTIES LINKER_LANGUAGE CXX)
    tessera_test(NAME test_controller_map SOURCES unit/test_controller_map.c LIBS tessera_controller)
    tessera_test(NAME test_controller_park SOURCES unit/test_controller_park.c LIBS tessera_controller m)
    set_target_properties(test_controller_park PROPERTIES LINKER_LANGUAGE CXX)
    tessera_test(NAME test_controller_stores SOURCES unit/test_controller_stores.c LIBS tessera_controller)
    set_target_properties(test_controller_stores PROPERTIES LINKER_LANGUAGE CXX)
    tessera_test(NAME test_controller_faults SOURCES sim/test_controller_faults.c sim/fault_cases.c
        LIBS tessera_controller LABEL system TIMEOUT 600)
    foreach(what hands words dark fallen endings trays interrupted)
        tessera_test(NAME test_controller_${what} SOURCES sim/test_controller_${what}.c sim/hands_rig.c
            unit/mortal_rulesd.c LIBS tessera_controller LABEL system)
    endforeach()
    foreach(test test_controller_faults test_controller_hands test_controller_words
        test_controller_dark test_controller_fallen test_controller_endings test_controller_trays test_controller_interrupted)
        set_target_properties(${test} PROPERTIES LINKER_LANGUAGE CXX)
        add_dependencies(${test} tessera-rulesd tessera-engine)
    endforeach()
    tessera_test(NAME test_play_kill SOURCES system/test_play_kill.c system/program.c
        LIBS tessera_base PkgConfig::JANSSON LABEL system TIMEOUT 900)
    tessera_test(NAME test_play_game SOURCES system/test_play_game.c system/program.c
        LIBS tessera_base PkgConfig::JANSSON LABEL system TIMEOUT 600)
    tessera_test(NAME test_play_replay SOURCES system/test_play_replay.c system/program.c
        LIBS tessera_base LABEL system TIMEOUT 600)
    tessera_test(NAME test_see_sight SOURCES unit/test_see_sight.c
        ${CMAKE_SOURCE_DIR}/controller/cli/sight.c ${CMAKE_SOURCE_DIR}/controller/cli/board_view.c
        LIBS tessera_reading tessera_vision PkgConfig::JANSSON)
    set_target_properties(test_see_sight PROPERTIES LINKER_LANGUAGE CXX)
    tessera_test(NAME test_see_live SOURCES system/test_see_live.c system/program.c
        LIBS tessera_base PkgConfig::JANSSON LABEL system)
    add_dependencies(test_see_live tessera)
    foreach(test test_play_kill test_play_game test_play_replay)
        add_dependencies(${test} tessera tessera-rulesd tessera-engine)
    endforeach()
    set_tests_properties(test_play_game PROPERTIES COST 1000) # the longest: first, or all wait for it

    tessera_bench(NAME make_session SOURCES sessions/make_session.c LIBS tessera_controller)
    set_target_properties(make_session PROPERTIES LINKER_LANGUAGE CXX)

    tessera_bench(NAME soak_games SOURCES soak/soak_games.c LIBS tessera_controller)
    set_target_properties(soak_games PROPERTIES LINKER_LANGUAGE CXX)
endif()
