// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Values that several threads of a loop read and write, on both devices.
namespace dunlin::math {

/// A number of at least 0 as a whole number of the same order.
DUNLIN_HD inline std::uint64_t ordered_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
DUNLIN_HD inline double of_ordered_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

template <class T>
DUNLIN_HD T seen(const T& value) {
#if defined(__CUDA_ARCH__)
    return *static_cast<const volatile T*>(&value);
#else
    return std::atomic_ref(const_cast<T&>(value)).load(std::memory_order_relaxed);
#endif
}

template <class T>
DUNLIN_HD void write(T& place, T value) {
#if defined(__CUDA_ARCH__)
    *static_cast<volatile T*>(&place) = value;
#else
    std::atomic_ref(place).store(value, std::memory_order_relaxed);
#endif
}

DUNLIN_HD inline void lower(std::uint64_t& least, std::uint64_t value) {
    if (seen(least) <= value) return;
#if defined(__CUDA_ARCH__)
    atomicMin(reinterpret_cast<unsigned long long*>(&least), static_cast<unsigned long long>(value));
#else
    std::uint64_t now = seen(least);
    while (value < now && !std::atomic_ref(least).compare_exchange_weak(now, value)) {
    }
#endif
}

DUNLIN_HD inline void raise(std::uint64_t& most, std::uint64_t value) {
    if (seen(most) >= value) return;
#if defined(__CUDA_ARCH__)
    atomicMax(reinterpret_cast<unsigned long long*>(&most), static_cast<unsigned long long>(value));
#else
    std::uint64_t now = seen(most);
    while (value > now && !std::atomic_ref(most).compare_exchange_weak(now, value)) {
    }
#endif
}

DUNLIN_HD inline void lower(Index& least, Index value) {
    if (seen(least) <= value) return;
#if defined(__CUDA_ARCH__)
    atomicMin(&least, value);
#else
    Index now = seen(least);
    while (value < now && !std::atomic_ref(least).compare_exchange_weak(now, value)) {
    }
#endif
}

/// Returns the value before.
DUNLIN_HD inline Index add(Index& sum, Index value) {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&sum, value);
#else
    return std::atomic_ref(sum).fetch_add(value);
#endif
}

/// True if the place had the expected value, and has the new one.
DUNLIN_HD inline bool replace(Index& place, Index expected, Index value) {
#if defined(__CUDA_ARCH__)
    return atomicCAS(&place, expected, value) == expected;
#else
    return std::atomic_ref(place).compare_exchange_strong(expected, value);
#endif
}

}  // namespace dunlin::math
