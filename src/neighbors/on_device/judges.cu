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
