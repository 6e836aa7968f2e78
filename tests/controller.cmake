tessera_test(NAME test_controller_loop SOURCES unit/test_controller_loop.c LIBS tessera_loop TIMEOUT 30)
