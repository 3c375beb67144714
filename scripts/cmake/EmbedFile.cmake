# embed_file(TARGET SYMBOL FILE): the bytes of FILE as `const char SYMBOL[]` (NUL-terminated) and
# `const unsigned long SYMBOL_length`, in TARGET. The file is a dependency: changing it rebuilds.
function(embed_file target symbol file)
  get_filename_component(file ${file} ABSOLUTE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S)
  file(WRITE ${source} ".section .rodata\n.global ${symbol}, ${symbol}_length\n${symbol}:\n.incbin \"${file}\"\n"
       "${symbol}_end:\n.byte 0\n.balign 8\n${symbol}_length: .quad ${symbol}_end - ${symbol}\n"
       ".section .note.GNU-stack,\"\",%progbits\n")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file} LANGUAGE ASM)
  target_sources(${target} PRIVATE ${source})
endfunction()
enable_language(ASM)
