// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <dunlin/error.hpp>

namespace dunlin {

/// The sentence of the Error that a call throws; empty where it throws none.
inline std::string refusal(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// The same, of an Error that is to be of this kind.
inline std::string refusal(Fault fault, const auto& call) {
    return refusal([&] {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), fault) << error.what();
            throw;
        }
    });
}

}  // namespace dunlin
