# Tests of the arm: on a scripted GRBL that speaks the real protocol over a socketpair.
set(MOTION_RIG unit/test_motion_fake.c unit/test_motion_rig.c)

tessera_test(NAME test_motion_arm SOURCES unit/test_motion_arm.c ${MOTION_RIG}
    LIBS tessera_motion m)
tessera_test(NAME test_motion_start SOURCES unit/test_motion_start.c ${MOTION_RIG}
    LIBS tessera_motion m)
tessera_test(NAME test_motion_arm_trouble SOURCES unit/test_motion_arm_trouble.c ${MOTION_RIG}
    LIBS tessera_motion m)
tessera_test(NAME test_motion_chaos SOURCES unit/test_motion_chaos_seeds.c unit/test_motion_chaos.c
    ${MOTION_RIG} LIBS tessera_motion m)
tessera_test(NAME test_motion_grbl SOURCES unit/test_motion_grbl.c unit/test_motion_fake.c
    LIBS tessera_motion m)
tessera_test(NAME test_motion_marlin SOURCES unit/test_motion_marlin.c
    unit/test_motion_marlin_fake.c LIBS tessera_motion m)
tessera_test(NAME test_motion_parse SOURCES unit/test_motion_parse.c LIBS tessera_motion)
foreach(what plan order stores map)
    tessera_test(NAME test_motion_${what} SOURCES unit/test_motion_${what}.c LIBS tessera_motion m)
endforeach()
tessera_test(NAME test_motion_transport SOURCES unit/test_motion_transport.c LIBS tessera_motion)

# On the simulated table, where there is one.
if(TARGET tessera_sim)
    set(MOTION_TABLE_RIG sim/test_motion_table.c)
    tessera_test(NAME test_motion_sim SOURCES sim/test_motion_sim.c ${MOTION_TABLE_RIG}
        LIBS tessera_sim tessera_loop tessera_motion m LABEL sim)
    tessera_bench(NAME soak_arm SOURCES soak/soak_arm.c soak/soak_arm_table.c
        unit/test_motion_chaos.c ${MOTION_RIG} ${MOTION_TABLE_RIG}
        LIBS tessera_sim tessera_loop tessera_motion m)
    tessera_bench(NAME bench_arm SOURCES bench/bench_arm.c ${MOTION_TABLE_RIG}
        LIBS tessera_sim tessera_loop tessera_motion m)
endif()
# The whole robot, when the cable or the vacuum fails with a stone on the cup.
if(TARGET tessera_controller)
    tessera_test(NAME test_arm_cli SOURCES system/test_arm_cli.c system/program.c
        LIBS tessera_base tessera_json m LABEL system)
    add_dependencies(test_arm_cli tessera)
    tessera_bench(NAME soak_pull SOURCES soak/soak_pull.c LIBS tessera_controller)
    tessera_bench(NAME bench_stop SOURCES bench/bench_stop.c LIBS tessera_controller)
    set_target_properties(soak_pull bench_stop PROPERTIES LINKER_LANGUAGE CXX)
endif()
tessera_fuzz(NAME fuzz_grbl SOURCES fuzz/fuzz_grbl.c LIBS tessera_motion CORPUS fuzz/corpus/grbl)
tessera_fuzz(NAME fuzz_marlin SOURCES fuzz/fuzz_grbl.c LIBS tessera_motion CORPUS fuzz/corpus/marlin)
foreach(target fuzz_marlin fuzz_marlin_libfuzzer)
    if(TARGET ${target})
        target_compile_definitions(${target} PRIVATE FUZZ_DIALECT="marlin")
    endif()
endforeach()
