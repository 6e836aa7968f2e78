# Tests of the games (rules/ without daemon and engine).
tessera_test(NAME test_rules_cases SOURCES unit/test_rules_cases.c LIBS tessera_rules PkgConfig::JANSSON)
tessera_test(NAME test_rules_perft SOURCES unit/test_rules_perft.c LIBS tessera_rules)
tessera_test(NAME test_rules_records_data SOURCES unit/test_rules_records_data.c LIBS tessera_rules PkgConfig::JANSSON)
tessera_bench(NAME bench_rules SOURCES bench/bench_rules.c LIBS tessera_rules)
tessera_test(NAME test_rules_positions SOURCES unit/test_rules_positions.c LIBS tessera_rules)
tessera_test(NAME test_rules_properties SOURCES unit/test_rules_properties.c LIBS tessera_rules)
tessera_test(NAME test_rules_game SOURCES unit/test_rules_game.c unit/game_fixture.c LIBS tessera_rules)
tessera_test(NAME test_rules_setup SOURCES unit/test_rules_setup.c unit/game_fixture.c LIBS tessera_rules)
tessera_test(NAME test_rules_told SOURCES unit/test_rules_told.c unit/game_fixture.c LIBS tessera_rules)
tessera_test(NAME test_rules_variant SOURCES unit/test_rules_variant.c LIBS tessera_rules)
tessera_test(NAME test_rules_text SOURCES unit/test_rules_text.c LIBS tessera_rules)
tessera_test(NAME test_rules_records_text SOURCES unit/test_rules_records_text.c unit/record_fixture.c
    LIBS tessera_rules)
tessera_test(NAME test_rules_records_sgf SOURCES unit/test_rules_records_sgf.c unit/record_fixture.c
    LIBS tessera_rules)
tessera_test(NAME test_rules_records_write SOURCES unit/test_rules_records_write.c unit/record_fixture.c
    LIBS tessera_rules)
tessera_fuzz(NAME fuzz_penteorg SOURCES fuzz/fuzz_penteorg.c LIBS tessera_rules CORPUS fuzz/corpus/penteorg)
tessera_fuzz(NAME fuzz_sgf SOURCES fuzz/fuzz_sgf.c LIBS tessera_rules CORPUS fuzz/corpus/sgf)
tessera_fuzz(NAME fuzz_traditional SOURCES fuzz/fuzz_traditional.c LIBS tessera_rules CORPUS fuzz/corpus/traditional)
tessera_fuzz(NAME fuzz_pentago_text SOURCES fuzz/fuzz_pentago_text.c LIBS tessera_rules CORPUS fuzz/corpus/pentago)
tessera_fuzz(NAME fuzz_rules_text SOURCES fuzz/fuzz_rules_text.c LIBS tessera_rules CORPUS fuzz/corpus/rules-text)
