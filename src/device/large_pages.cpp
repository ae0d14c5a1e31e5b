// SPDX-License-Identifier: Apache-2.0
#include "device/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace dunlin::device {

void advise_large_pages(void* begin, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
    if (bytes < before + page) return;
    ::madvise(static_cast<char*>(begin) + before, bytes - before, MADV_HUGEPAGE);  // a wish: refused, all works
#else
    static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

}  // namespace dunlin::device
