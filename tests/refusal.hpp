// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <dunlin/error.hpp>

namespace dunlin {

/// The message of the Error that a call throws; empty if it throws none.
inline std::string refusal(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// The same; expects an Error of this kind.
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
