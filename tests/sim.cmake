# The simulated table: its firmware, its world, its whole, its camera.
foreach(what facts plotter)
    tessera_test(NAME test_sim_${what} SOURCES sim/test_sim_${what}.c sim/plotter_rig.c
        LIBS tessera_sim)
endforeach()
tessera_test(NAME test_sim_world SOURCES sim/test_sim_world.c LIBS tessera_sim)
tessera_test(NAME test_sim_table SOURCES sim/test_sim_table.c sim/host_rig.c LIBS tessera_sim)
tessera_test(NAME test_sim_person SOURCES sim/test_sim_person.c sim/host_rig.c LIBS tessera_sim)
tessera_test(NAME test_sim_camera SOURCES sim/test_sim_camera.c LIBS tessera_sim
    PkgConfig::TURBOJPEG Threads::Threads)
tessera_test(NAME test_sim_serve SOURCES sim/test_sim_serve.c LIBS tessera_sim_serve)
tessera_bench(NAME bench_sim SOURCES bench/bench_sim.c LIBS tessera_sim)
tessera_fuzz(NAME fuzz_sim_plotter SOURCES fuzz/fuzz_sim_plotter.c LIBS tessera_sim
    CORPUS fuzz/corpus/sim_plotter)
