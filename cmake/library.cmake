# The public library, shared and static: weft.h's functions are all that either shows. With what a program outside needs to
# find it: weft.pc for pkg-config, weft-config.cmake for find_package(weft).
include(CMakePackageConfigHelpers)
set(WEFT_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/weft.map)

add_library(weft_shared SHARED $<TARGET_OBJECTS:weft_compiler>)
target_link_libraries(weft_shared PRIVATE m)
target_link_options(weft_shared PRIVATE -Wl,--version-script=${WEFT_EXPORTS} -Wl,--no-undefined -Wl,--as-needed)
set_target_properties(weft_shared PROPERTIES LINK_DEPENDS ${WEFT_EXPORTS}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Static: one object, in which all other names are local.
set(WEFT_OBJECT ${PROJECT_BINARY_DIR}/weft.o)
set(RELOCATE ${CMAKE_C_COMPILER} -r -nostdlib)
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
    separate_arguments(OPTIMIZE NATIVE_COMMAND ${CMAKE_C_FLAGS_RELWITHDEBINFO})
    list(APPEND RELOCATE ${OPTIMIZE} -fPIC -flto=auto -flinker-output=nolto-rel)
endif()
add_custom_command(
    OUTPUT ${WEFT_OBJECT}
    COMMAND ${RELOCATE} -o ${WEFT_OBJECT} $<TARGET_OBJECTS:weft_compiler>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=weft_* ${WEFT_OBJECT}
    DEPENDS weft_compiler $<TARGET_OBJECTS:weft_compiler>
    COMMAND_EXPAND_LISTS COMMENT "Joining the objects of libweft.a" VERBATIM)
add_library(weft_static STATIC ${WEFT_OBJECT})
set_source_files_properties(${WEFT_OBJECT} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_link_libraries(weft_static PRIVATE m)
set_target_properties(weft_static PROPERTIES LINKER_LANGUAGE C INTERPROCEDURAL_OPTIMIZATION OFF)

foreach(kind shared static)
    set_target_properties(weft_${kind} PROPERTIES OUTPUT_NAME weft EXPORT_NAME ${kind})
    target_include_directories(weft_${kind} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

set(PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/weft-config.cmake
    INSTALL_DESTINATION ${PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS weft_shared weft_static EXPORT weft COMPONENT library)
install(FILES include/weft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake DESTINATION ${PACKAGE} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
    DESTINATION ${PACKAGE} COMPONENT library)
