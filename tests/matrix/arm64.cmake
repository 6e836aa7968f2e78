# Cross-building for arm64 with Debian's compiler against a folder of unpacked arm64 packages
# (sysroot.sh makes it). Tests run under qemu's user emulation.
#
# Every program gets the suffix .arm64. Its plain name is left to a script that starts it under the
# emulator (arm64.sh writes those): so programs find and start each other as on a real machine, without
# this machine's kernel being told of a foreign binary format.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

if(NOT TESSERA_SYSROOT)
    set(TESSERA_SYSROOT "$ENV{TESSERA_SYSROOT}")
endif()
if(NOT EXISTS "${TESSERA_SYSROOT}/usr/include")
    message(FATAL_ERROR "There are no arm64 packages to build against. ./dev matrix arm64 fetches them and builds; "
        "or name their folder: TESSERA_SYSROOT=FOLDER cmake --preset arm64")
endif()
set(TESSERA_SYSROOT "${TESSERA_SYSROOT}" CACHE PATH "arm64 packages, unpacked")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TESSERA_SYSROOT)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${TESSERA_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TESSERA_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${TESSERA_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${TESSERA_SYSROOT}/usr/share/pkgconfig)
# Libraries that a library needs (OpenCV's own, for one) are looked for in the sysroot, too.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${TESSERA_SYSROOT}/usr/lib/aarch64-linux-gnu")

set(CMAKE_EXECUTABLE_SUFFIX_C .arm64)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .arm64)
find_program(TESSERA_EMULATOR NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${TESSERA_EMULATOR};-L;${TESSERA_SYSROOT})
