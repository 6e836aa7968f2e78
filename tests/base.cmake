tessera_test(NAME test_base_crc32c_rng SOURCES unit/test_base_crc32c_rng.c LIBS tessera_base)
tessera_test(NAME test_base_io SOURCES unit/test_base_io.c unit/io_faults.c LIBS tessera_base)
tessera_test(NAME test_base_spacing SOURCES unit/test_base_spacing.c LIBS tessera_base)
tessera_test(NAME test_base_text SOURCES unit/test_base_text.c LIBS tessera_json)
