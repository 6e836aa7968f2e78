# Power cuts, for `./dev hil power`; see hil/README.md.
function(power_program name)
    add_executable(hil-${name} ${ARGN})
    set_target_properties(hil-${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/hil)
endfunction()

power_program(power-work hil/power_work.c)
target_link_libraries(hil-power-work PRIVATE tessera_config tessera_rules_client)
power_program(power-check hil/power_check.c)
target_link_libraries(hil-power-check PRIVATE tessera_config tessera_rules_client)
power_program(power-table hil/power_table.c)
target_link_libraries(hil-power-table PRIVATE tessera_sim tessera_loop tessera_rules_client)
power_program(power-disk hil/power_disk.c)
target_link_libraries(hil-power-disk PRIVATE tessera_base)

# Preloaded: without the sanitizers' run-time library and without a stack guard, which the kernel's
# thread of input and output could not use.
foreach(name log unsafe)
    add_library(hil-power-${name} SHARED hil/power_${name}.c)
    target_compile_options(hil-power-${name} PRIVATE -fno-sanitize=all -fno-stack-protector)
    target_link_options(hil-power-${name} PRIVATE -fno-sanitize=all)
    set_target_properties(hil-power-${name} PROPERTIES OUTPUT_NAME power-${name} PREFIX ""
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/hil)
endforeach()
