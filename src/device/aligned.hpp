// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dunlin::device {

/// Allocator of memory aligned to cache lines, so that a vector load never crosses two lines.
template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    CacheAligned() = default;
    template <class U>
    explicit CacheAligned(const CacheAligned<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
    void deallocate(T* at, std::size_t) { ::operator delete(at, alignment); }
    bool operator==(const CacheAligned&) const { return true; }
};

template <class T>
using AlignedBuffer = std::vector<T, CacheAligned<T>>;

}  // namespace dunlin::device
