// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/narrow.hpp>

namespace dunlin::io {

/// Calls work(T{}) with the type of the numbers. Half: the caller's type for float16, which C++20 has not.
template <class Half, class Work>
void with_number_type(NumberType type, const Work& work) {
    switch (type) {
        case NumberType::float16:
            return work(Half{});
        case NumberType::float32:
            return work(float{});
        case NumberType::float64:
            return work(double{});
        case NumberType::int8:
            return work(std::int8_t{});
        case NumberType::int16:
            return work(std::int16_t{});
        case NumberType::int32:
            return work(std::int32_t{});
        case NumberType::int64:
            return work(std::int64_t{});
        case NumberType::uint8:
            return work(std::uint8_t{});
        case NumberType::uint16:
            return work(std::uint16_t{});
        case NumberType::uint32:
            return work(std::uint32_t{});
        case NumberType::uint64:
            return work(std::uint64_t{});
    }
}

}  // namespace dunlin::io
