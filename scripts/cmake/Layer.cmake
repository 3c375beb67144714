# layer(NAME SOURCES file... [USES layer...] [LINKS target...])
#
# A folder of user/ as a static library that can include only its own headers and those of the layers it USES.
# Every layer's headers are reached through a folder of its own that holds one link to it (headers/NAME/NAME -> user/NAME),
# so an include that the design does not allow does not compile. USES are not passed on: who needs a layer's headers says so.
function(layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;LINKS" ${ARGN})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/headers/${name}/${name} SYMBOLIC)
  add_library(${name} STATIC ${LAYER_SOURCES})
  layer_use(${name} ${name} ${LAYER_USES})
  target_link_libraries(${name} PRIVATE ${LAYER_LINKS})
endfunction()

# layer_use(TARGET layer...): the target may include these layers' headers and is linked with them.
function(layer_use target)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers/bpf)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/bpf ${CMAKE_BINARY_DIR}/headers/bpf/bpf SYMBOLIC)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/headers/bpf)
  foreach(layer IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/headers/${layer})
    if(NOT layer STREQUAL target)
      target_link_libraries(${target} PUBLIC ${layer})
    endif()
  endforeach()
endfunction()
