tessera_test(NAME test_rulesd_line SOURCES unit/test_rulesd_line.c LIBS tessera_rules_wire)
tessera_test(NAME test_rulesd_journal SOURCES unit/test_rulesd_journal.c unit/io_faults.c
    LIBS tessera_rulesd)

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
