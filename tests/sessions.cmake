# Reading moves from what the camera saw, and recorded sessions.
tessera_test(NAME test_controller_variants SOURCES unit/test_controller_variants.c
    LIBS tessera_reading TIMEOUT 60)
