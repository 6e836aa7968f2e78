tessera_test(NAME test_rulesd_line SOURCES unit/test_rulesd_line.c LIBS tessera_rules_wire)
tessera_test(NAME test_rulesd_journal SOURCES unit/test_rulesd_journal.c unit/io_faults.c
    LIBS tessera_rulesd)
