// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Kind of an error. It decides the exit code of the command.
enum class Fault {
    bad_input,       ///< an option or argument has a value that cannot be used
    bad_file,        ///< a file cannot be opened, read, parsed or used (NaN, too few rows)
    no_device,       ///< the requested device does not exist, or is not in this build
    out_of_memory,   ///< more memory was needed than is free or allowed
    device_failure,  ///< the device reported an error during a computation
};

/// Location of an error. Empty or -1: unknown or not applicable.
struct ErrorLocation {
    std::string option = {};  ///< name of an option as `fields` lists it ("theta"), or a member of Run ("threads")
    std::string file = {};    ///< path of the file, as it was given
    Offset line = -1;         ///< line of the file, from 1
    Offset row = -1;          ///< row of the data, vertex or item, from 0
    Offset column = -1;       ///< column of the data, from 0
};

/// The only exception type of the library: the kind of fault, one sentence that names the value, the location and the
/// remedy, and the location as members. Sentences name options as the library does ("repulsion tree", "device cpu");
/// the command rewrites them as flags.
class DUNLIN_API Error : public std::runtime_error {
public:
    Error(Fault fault, const std::string& sentence, ErrorLocation place = {})
        : std::runtime_error(sentence),
          fault_(fault),
          place_(std::make_shared<const ErrorLocation>(std::move(place))) {}

    [[nodiscard]] Fault fault() const noexcept { return fault_; }
    [[nodiscard]] const ErrorLocation& place() const noexcept { return *place_; }

private:
    Fault fault_;
    std::shared_ptr<const ErrorLocation> place_;  ///< shared, so that copying an Error cannot throw
};

}  // namespace dunlin
