// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// Advice to the operating system about values that may lie in a memory-mapped file. It has no effect on other memory.
namespace dunlin::device {

/// Access pattern. here_and_there: random access. The system then reads single pages, without megabytes of read-ahead,
/// except for values that load_ahead() announced.
enum class Reading { in_order, here_and_there };

void expect(MatrixView<const float> values, Reading how);

/// Starts to read the values, without waiting.
void load_ahead(std::span<const float> values);

}  // namespace dunlin::device
