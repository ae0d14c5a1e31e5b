// SPDX-License-Identifier: Apache-2.0
#include "device/mapped.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace dunlin::device {

namespace {

/// madvise works on whole pages. Its failure is ignored, because it is only advice.
void advise(std::span<const float> values, int advice) {
    const auto* begin = reinterpret_cast<const char*>(values.data());
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto beyond_page = reinterpret_cast<std::uintptr_t>(begin) % page;
    ::posix_madvise(const_cast<char*>(begin - beyond_page), values.size_bytes() + beyond_page, advice);
}

}  // namespace

void expect(MatrixView<const float> values, Reading how) {
    advise({values.data, static_cast<std::size_t>(values.size())},
           how == Reading::in_order ? POSIX_MADV_NORMAL : POSIX_MADV_RANDOM);
}

void load_ahead(std::span<const float> values) { advise(values, POSIX_MADV_WILLNEED); }

}  // namespace dunlin::device
