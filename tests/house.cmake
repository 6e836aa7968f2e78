# What holds for the whole house: who may include whom, where OpenCV may be seen.
tessera_test(NAME test_house_floors SOURCES unit/test_house_floors.c LIBS tessera_base)
