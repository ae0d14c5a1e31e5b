# SPDX-License-Identifier: Apache-2.0
# With DUNLIN_BATCHES, sources of a folder are compiled a few at a time, which parses their headers once, in half the time.
# The build for clang-tidy compiles each by itself, which shows that it includes what it uses.

# Names local to these files occur in others of the folder; src/io and src/neighbors/exact have many like names
set(unbatched
  src/communities/refinement.cpp
  src/hierarchy/merge_tree.cpp
  src/live/steering.cpp
  src/neighbors/value_range.cpp
  src/parametric/prototypes.cpp
  src/spanning/matrix.cpp
  src/spanning/rounds.cpp)
foreach(file ${unbatched})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${file})
    message(FATAL_ERROR "${file} is not there: cmake/batches.cmake lists it")
  endif()
endforeach()

# in_batches(LIST SIZE): replaces sources of the list by files that include up to SIZE of one folder. Sources with compiler
# flags or definitions of their own stay as they are.
function(in_batches list size)
  if(NOT DUNLIN_BATCHES)
    return()
  endif()
  set(result)
  set(folders)
  foreach(source ${${list}})
    set(own)
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES SKIP_PRECOMPILE_HEADERS GENERATED)
      get_source_file_property(value ${source} ${property})
      if(value)
        set(own ON)
      endif()
    endforeach()
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    if(own OR path IN_LIST unbatched OR path MATCHES "^src/(io|neighbors/exact)/[^/]*$")
      list(APPEND result ${source})
    else()
      get_filename_component(folder ${path} DIRECTORY)
      list(APPEND folders ${folder})
      list(APPEND "in ${folder}" ${source})
    endif()
  endforeach()

  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH "in ${folder}" count)
    math(EXPR last "(${count} - 1) / ${size}")
    list(GET "in ${folder}" 0 first)
    get_filename_component(extension ${first} LAST_EXT)
    foreach(batch RANGE ${last})
      math(EXPR begin "${batch} * ${size}")
      list(SUBLIST "in ${folder}" ${begin} ${size} sources)
      set(text)
      foreach(source ${sources})
        file(RELATIVE_PATH path ${PROJECT_BINARY_DIR}/batches/${folder} ${source})
        string(APPEND text "#include \"${path}\"\n")
      endforeach()
      set(file ${PROJECT_BINARY_DIR}/batches/${folder}/${batch}${extension})
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}")
      list(APPEND result ${file})
    endforeach()
  endforeach()
  set(${list} ${result} PARENT_SCOPE)
endfunction()
