#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>

#include <dunlin/error.hpp>

#include "io/fail.hpp"

namespace dunlin::io {

/// Runs a reader; memory that cannot be had becomes an Error.
template <class Read>
auto guarded(const std::filesystem::path& path, const Read& read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        throw Error(Fault::out_of_memory,
                    fmt::format("reading '{}' needs more memory than there is; use a smaller file", path.string()));
    } catch (const std::length_error&) {
        throw Error(Fault::out_of_memory,
                    fmt::format("reading '{}' needs more memory than there can be; use a smaller file", path.string()));
    }
}

}  // namespace dunlin::io
