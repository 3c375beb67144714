# bpf_skeleton(NAME SOURCES file.bpf.c...)
#
# Compiles each source with clang for the BPF target, links them into one object (bpftool gen object) and generates
# NAME.skel.h from it. Target NAME_skeleton carries the header's folder. Headers are tracked by the compiler's own
# dependency files, so a change of bpf/events.h rebuilds all that depends on it.
find_program(CLANG NAMES clang REQUIRED)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(BPF_ARCH x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(BPF_ARCH arm64)
else()
  message(FATAL_ERROR "warmtrace has no BPF register layout for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

function(bpf_skeleton name)
  cmake_parse_arguments(BPF "" "" "SOURCES" ${ARGN})
  set(objects)
  foreach(source IN LISTS BPF_SOURCES)
    get_filename_component(stem ${source} NAME_WLE)
    get_filename_component(source ${source} ABSOLUTE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.o)
    # -idirafter: <asm/...> headers behind usdt.bpf.h live in the architecture's own folder on Debian.
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CLANG} -target bpf -mcpu=v3 -O2 -g -std=gnu17 -D__TARGET_ARCH_${BPF_ARCH} -D__bpf__
              -Wall -Wextra -Werror -Wno-unused-parameter
              -I${CMAKE_SOURCE_DIR} -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
              -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source}
      DEPFILE ${object}.d
      COMMENT "Compiling ${source} for BPF"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(linked ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/skeleton/${name}.skel.h)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/skeleton)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${BPFTOOL} gen object ${linked} ${objects}
    COMMAND sh -c "'${BPFTOOL}' gen skeleton '${linked}' name '${name}' > '${header}'"
    DEPENDS ${objects}
    COMMENT "Generating ${name}.skel.h"
    VERBATIM)
  add_custom_target(${name}_skeleton_header DEPENDS ${header})
  add_library(${name}_skeleton INTERFACE)
  target_include_directories(${name}_skeleton SYSTEM INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/skeleton)
  add_dependencies(${name}_skeleton ${name}_skeleton_header)
endfunction()
