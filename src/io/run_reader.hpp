// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include <dunlin/error.hpp>

#include "io/fail.hpp"
#include "io/path.hpp"
#include "io/read_progress.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

/// Runs a reader: returns its result, or an empty one after a stop request. Converts bad_alloc to
/// Error{out_of_memory}, and adds the file to an Error without one.
template <class Read>
auto run_reader(const std::filesystem::path& path, const Run& run, const Read& read) {
    const ErrorLocation whole{.file = path.string()};
    require_whole(path);
    try {
        const ReadScope reading(run);
        decltype(read()) result{};
        const bool done = progress::run_cancellable(run.stop, [&] { result = read(); });
        return done ? std::move(result) : decltype(read()){};
    } catch (const Error& error) {
        if (!error.place().file.empty()) throw;
        ErrorLocation place = error.place();
        place.file = whole.file;
        throw Error(error.fault(), error.what(), place);
    } catch (const std::bad_alloc&) {
        throw Error(Fault::out_of_memory,
                    fmt::format("reading '{}' needs more memory than there is; use a smaller file", whole.file), whole);
    } catch (const std::length_error&) {
        throw Error(Fault::out_of_memory,
                    fmt::format("reading '{}' needs more memory than there can be; use a smaller file", whole.file),
                    whole);
    }
}

}  // namespace dunlin::io
