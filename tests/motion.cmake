# Tests of the arm: on a scripted GRBL that speaks the real protocol over a socketpair.
set(MOTION_RIG unit/test_motion_fake.c unit/test_motion_rig.c)

tessera_test(NAME test_motion_arm SOURCES unit/test_motion_arm.c ${MOTION_RIG}
    LIBS tessera_motion m TIMEOUT 60)
