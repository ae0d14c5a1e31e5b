// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include <dunlin/run.hpp>

#include "agree/agree.hpp"
#include "device/gpus.hpp"

namespace dunlin::agree {

/// Lists of GPUs: 2, 3 and 8 ranks of the first one, and all that are there if they are several.
inline std::vector<std::vector<int>> lists_of_gpus() {
    std::vector<std::vector<int>> lists{{0, 0}, {0, 0, 0}};
    if (!only_small()) lists.emplace_back(8, 0);
    std::vector<int> all(static_cast<std::size_t>(device::cuda_devices()));
    std::iota(all.begin(), all.end(), 0);
    if (all.size() > 1) lists.push_back(all);
    return lists;
}

inline Run on_gpus(const std::vector<int>& gpus) { return {.device = Device::cuda, .gpus = gpus}; }

inline std::string name_of(const std::vector<int>& gpus) {
    std::string name = "cuda:";
    for (const int gpu : gpus) name += std::to_string(gpu) + ",";
    return name;
}

}  // namespace dunlin::agree
