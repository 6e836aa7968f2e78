# Tests of the games (rules/ without daemon and engine).
tessera_test(NAME test_rules_cases SOURCES unit/test_rules_cases.c LIBS tessera_rules PkgConfig::JANSSON)
tessera_test(NAME test_rules_perft SOURCES unit/test_rules_perft.c LIBS tessera_rules)
tessera_test(NAME test_rules_records_data SOURCES unit/test_rules_records_data.c LIBS tessera_rules PkgConfig::JANSSON)
tessera_bench(NAME bench_rules SOURCES bench/bench_rules.c LIBS tessera_rules)
tessera_test(NAME test_rules_positions SOURCES unit/test_rules_positions.c LIBS tessera_rules)
tessera_test(NAME test_rules_properties SOURCES unit/test_rules_properties.c LIBS tessera_rules)
