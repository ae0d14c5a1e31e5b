// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// What the system is told of values that may lie in a file which is mapped into memory. Of other memory it has nothing
/// to do.
namespace dunlin::device {

/// How they will be read. here_and_there: what was not announced by load_ahead() is read by the page, where the system
/// would else read the megabytes around it too.
enum class Reading { in_order, here_and_there };

void expect(MatrixView<const float> values, Reading how);

/// Begins to read them, and does not wait.
void load_ahead(std::span<const float> values);

}  // namespace dunlin::device
