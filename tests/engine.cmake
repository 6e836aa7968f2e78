# The engine's tests, fuzz target and benchmark.
tessera_test(NAME test_engine_sboard SOURCES unit/test_engine_sboard.c LIBS tessera_engine)
tessera_test(NAME test_engine_line SOURCES unit/test_engine_line.c LIBS tessera_engine)
tessera_test(NAME test_engine_tactics SOURCES unit/test_engine_tactics.c LIBS tessera_engine)
tessera_test(NAME test_engine_threat SOURCES unit/test_engine_threat.c LIBS tessera_engine)
tessera_test(NAME test_engine_pentago SOURCES unit/test_engine_pentago.c LIBS tessera_engine)
