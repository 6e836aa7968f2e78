foreach(what value reading agreement edit text)
    tessera_test(NAME test_config_${what} SOURCES unit/test_config_${what}.c LIBS tessera_config)
endforeach()
tessera_test(NAME test_config_calibration LIBS tessera_config m
    SOURCES unit/test_config_calibration.c unit/io_faults.c)
tessera_test(NAME test_config_oracle SOURCES unit/test_config_oracle.c
    LIBS tessera_config PkgConfig::CYAML)

tessera_test(NAME test_config_mutations SOURCES system/test_config_mutations.c LIBS tessera_config
    LABEL system)
tessera_test(NAME test_config_cli SOURCES system/test_config_cli.c LIBS tessera_config LABEL system
    TIMEOUT 600)
add_dependencies(test_config_mutations tessera-config)
add_dependencies(test_config_cli tessera-config tessera tessera-rulesd tessera-engine)

tessera_fuzz(NAME fuzz_settings SOURCES fuzz/fuzz_settings.c LIBS tessera_config
    CORPUS fuzz/corpus/settings)
tessera_fuzz(NAME fuzz_calibration SOURCES fuzz/fuzz_calibration.c LIBS tessera_config
    CORPUS fuzz/corpus/calibration)

add_test(NAME test_config_system COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/system/test_config_system.sh)
set_tests_properties(test_config_system PROPERTIES LABELS system SKIP_RETURN_CODE 77
    ENVIRONMENT "${TEST_ENV}")

foreach(what calibrate faults)
    tessera_test(NAME test_config_${what} LIBS tessera_calibrate LABEL system TIMEOUT 600
        SOURCES system/test_config_${what}.c system/calibrate_fixture.c)
    set_target_properties(test_config_${what} PROPERTIES LINKER_LANGUAGE CXX)
endforeach()

tessera_bench(NAME bench_config SOURCES bench/bench_config.c LIBS tessera_config)

tessera_bench(NAME soak_calibrate SOURCES soak/soak_calibrate.c LIBS tessera_calibrate)
set_target_properties(soak_calibrate PROPERTIES LINKER_LANGUAGE CXX)
add_dependencies(soak_calibrate tessera-rulesd tessera-engine)

# Calibrates a simulated robot and plays a game with it, as the README tells its readers to. It tests
# the words of the README; the programs it runs have their own tests with sanitizers, ten times as
# fast as this would be.
if(NOT TESSERA_SANITIZE)
    add_test(NAME test_readme COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/system/test_readme.sh)
    set_tests_properties(test_readme PROPERTIES LABELS system SKIP_RETURN_CODE 77 TIMEOUT 600
        ENVIRONMENT "${TEST_ENV}")
endif()
