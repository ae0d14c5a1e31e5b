// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include "fuzz.hpp"
#include "io/parametric_model.hpp"

using namespace dunlin;

/// Models of dunlin train: what is read can be used.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] {
        parametric::Model model = io::parse_parametric_model(fuzz::input(data, size, "model.npz"));
        try {
            parametric::check(model);
        } catch (const Error&) {
            fuzz::require(false);
        }
        return model;
    });
}
