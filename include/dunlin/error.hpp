#pragma once

#include <stdexcept>
#include <string>

#include <dunlin/export.hpp>

namespace dunlin {

/// What went wrong, as far as a caller can act on it. The command's exit codes follow it.
enum class Fault {
    bad_input,       ///< an option or argument has a value that cannot be used
    bad_file,        ///< a file cannot be opened, read, parsed or used (NaN, too few rows)
    no_device,       ///< the device asked for is not there, or not in this build
    out_of_memory,   ///< more memory was needed than there is, or than was allowed
    device_failure,  ///< the device reported an error while it worked
};

/// The one exception type of the library: a kind, and one sentence that names the value, the place and the remedy.
class DUNLIN_API Error : public std::runtime_error {
public:
    Error(Fault fault, const std::string& sentence) : std::runtime_error(sentence), fault_(fault) {}
    [[nodiscard]] Fault fault() const noexcept { return fault_; }

private:
    Fault fault_;
};

}  // namespace dunlin
