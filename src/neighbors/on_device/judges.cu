#include "neighbors/on_device/judges.cuh"

#include <algorithm>

#include "neighbors/recall.hpp"

namespace dunlin::neighbors {

void Judges::take(device::Cuda& cuda, const Nearest& found) {
    wanted = found.wanted;
    keys.resize(items.size() * at(wanted));
    nearest.resize(keys.size());
    cuda.copy_out(keys.data(), found.keys.data(), keys.size() * sizeof(double));
    cuda.copy_out(nearest.data(), found.items.data(), nearest.size() * sizeof(Index));
}

void Judges::follow(const std::vector<Index>& order) {
    std::vector<Index> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = static_cast<Index>(i);
    std::vector<std::pair<Index, std::size_t>> turned;
    for (std::size_t i = 0; i < items.size(); ++i) turned.push_back({place[at(items[i])], i});
    std::sort(turned.begin(), turned.end());
    Judges follows{.wanted = wanted};
    for (const auto& [item, i] : turned) {
        const auto own = keys_of(i);
        follows.items.push_back(item);
        follows.keys.insert(follows.keys.end(), own.begin(), own.end());
        for (const Index near : nearest_of(i)) follows.nearest.push_back(place[at(near)]);
    }
    *this = std::move(follows);
}

void Judges::compare(device::Cuda& cuda, Index first, Index count, const Nearest& found,
                     std::vector<double>& shares) const {
    std::vector<double> own(at(wanted));
    const auto begin = std::lower_bound(items.begin(), items.end(), first);
    for (auto item = begin; item != items.end() && *item < first + count; ++item) {
        const auto i = static_cast<std::size_t>(item - items.begin());
        if (!measures(i)) continue;
        const Offset from = Offset{*item - first} * wanted;
        cuda.copy_out(own.data(), found.keys.data() + from, own.size() * sizeof(double));
        shares.push_back(share_found<double>(own, keys_of(i)));
    }
}

}  // namespace dunlin::neighbors
