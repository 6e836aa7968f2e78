tessera_test(NAME test_config_value SOURCES unit/test_config_value.c LIBS tessera_config)
tessera_test(NAME test_config_reading SOURCES unit/test_config_reading.c LIBS tessera_config)
