// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/tile.hpp"

/// The loops of tile.hpp in portable C++, for processors without AVX-512 and as the reference of tests.
namespace dunlin::distance::plain {

void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits);
void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                   Hits& hits);
void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);
void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);
void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out);

}  // namespace dunlin::distance::plain

#if defined(__x86_64__)
#define DUNLIN_TILE_AVX512 1
namespace dunlin::distance::avx512 {

/// True on processors with AVX-512 F, BW, VL and VNNI.
bool available();

void scan_dots(const ColumnBlock<std::uint8_t>& block, const std::int32_t* starts, const std::int8_t* rows,
               const std::int32_t* least, Hits& hits);
void scan_absolute(const ColumnBlock<std::uint8_t>& block, const std::uint8_t* rows, const std::int32_t* most,
                   Hits& hits);
void scan_squares(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);
void scan_absolute(const ColumnBlock<float>& block, const float* rows, const float* most, Hits& hits);
void dots(const std::uint8_t* base, Index dims, std::span<const std::uint16_t> columns, const std::int8_t* y,
          std::int64_t* out);

}  // namespace dunlin::distance::avx512
#endif
