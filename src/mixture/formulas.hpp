// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dunlin::mixture {

/// A responsibility below e^least_exponent (1e-30) of that of the likeliest component is 0: its row changes no digit of
/// the component's sums, and is not read.
constexpr double least_exponent = -69;

}  // namespace dunlin::mixture
