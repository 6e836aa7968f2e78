tessera_test(NAME test_rulesd_line SOURCES unit/test_rulesd_line.c LIBS tessera_rules_wire)
tessera_test(NAME test_rulesd_journal SOURCES unit/test_rulesd_journal.c unit/journal_fixture.c
    LIBS tessera_rulesd)
tessera_test(NAME test_rulesd_journal_damage SOURCES unit/test_rulesd_journal_damage.c
    unit/journal_fixture.c LIBS tessera_rulesd)
tessera_test(NAME test_rulesd_journal_disk SOURCES unit/test_rulesd_journal_disk.c
    unit/journal_fixture.c unit/io_faults.c LIBS tessera_rulesd)

# Against the real program.
tessera_test(NAME test_rulesd_client SOURCES system/test_rulesd_client.c system/rulesd_daemon.c
    LIBS tessera_rules_client)
tessera_test(NAME test_rulesd_cases SOURCES system/test_rulesd_cases.c system/rulesd_daemon.c
    LIBS tessera_rules_client)
add_dependencies(test_rulesd_client tessera-rulesd)
add_dependencies(test_rulesd_cases tessera-rulesd)

tessera_bench(NAME bench_rulesd SOURCES bench/bench_rulesd.c system/rulesd_daemon.c
    LIBS tessera_rules_client tessera_rulesd)
add_dependencies(bench_rulesd tessera-rulesd)

# A few kills with every test run; `./dev soak kill 1000` does the rest.
tessera_test(NAME test_rulesd_kill SOURCES soak/soak_kill.c system/rulesd_daemon.c
    LIBS tessera_rules_client tessera_rulesd ARGS 20)
add_dependencies(test_rulesd_kill tessera-rulesd)
tessera_bench(NAME soak_kill SOURCES soak/soak_kill.c system/rulesd_daemon.c
    LIBS tessera_rules_client tessera_rulesd)
add_dependencies(soak_kill tessera-rulesd)
tessera_test(NAME test_rulesd_server SOURCES system/test_rulesd_server.c system/plain_client.c
    system/rulesd_daemon.c LIBS tessera_rules_client)
tessera_test(NAME test_rulesd_life SOURCES system/test_rulesd_life.c system/plain_client.c
    system/rulesd_daemon.c LIBS tessera_rules_client)
add_dependencies(test_rulesd_server tessera-rulesd)
add_dependencies(test_rulesd_life tessera-rulesd)

tessera_fuzz(NAME fuzz_rulesd_line SOURCES fuzz/fuzz_rulesd_line.c LIBS tessera_rulesd
    CORPUS fuzz/corpus/rulesd_line)
tessera_fuzz(NAME fuzz_rulesd_journal SOURCES fuzz/fuzz_rulesd_journal.c LIBS tessera_rulesd
    CORPUS fuzz/corpus/rulesd_journal)

tessera_test(NAME test_rulesd_store SOURCES unit/test_rulesd_store.c unit/io_faults.c
    LIBS tessera_rulesd)
tessera_test(NAME test_rulesd_service SOURCES unit/test_rulesd_service.c unit/service_fixture.c
    LIBS tessera_rulesd)
tessera_test(NAME test_rulesd_service_matches SOURCES unit/test_rulesd_service_matches.c unit/service_fixture.c
    LIBS tessera_rulesd)
tessera_test(NAME test_rulesd_service_variants SOURCES unit/test_rulesd_service_variants.c unit/service_fixture.c
    LIBS tessera_rulesd)
