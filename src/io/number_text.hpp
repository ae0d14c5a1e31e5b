// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dunlin::io {

/// The shortest decimal that reads back as the same float, without an exponent.
std::string plain_decimal(float value);

/// Whether a decimal in a text has more digits than the float that it was rounded to keeps.
bool loses_digits(std::string_view decimal, float rounded);

}  // namespace dunlin::io
