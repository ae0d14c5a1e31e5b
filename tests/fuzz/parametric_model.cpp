// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include "fuzz.hpp"
#include "io/parametric_model.hpp"

using namespace dunlin;

namespace dunlin::fuzz {

/// A model that was read can be used.
inline void check(const parametric::Model& model) { parametric::check(model); }

}  // namespace dunlin::fuzz

/// Models of dunlin train.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] { return io::parse_parametric_model(fuzz::input(data, size, "model.npz")); });
}
