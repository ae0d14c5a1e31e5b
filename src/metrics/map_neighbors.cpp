#include "metrics/map_neighbors.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "metrics/columns.hpp"
#include "metrics/kernels.hpp"

namespace dunlin::metrics {

namespace {

/// The k best so far, ascending. Candidates come in ascending id, so that of equals the first stays.
class Nearest {
public:
    explicit Nearest(Index k)
        : squares_(static_cast<std::size_t>(k), std::numeric_limits<float>::infinity()), ids_(squares_.size(), -1) {}

    [[nodiscard]] float worst() const { return squares_.back(); }
    [[nodiscard]] const std::vector<Index>& ids() const { return ids_; }

    void offer(float square, Index id) {
        if (!(square < worst() || ids_.back() < 0)) return;
        std::size_t place = squares_.size() - 1;
        for (; place > 0 && (square < squares_[place - 1] || ids_[place - 1] < 0); --place) {
            squares_[place] = squares_[place - 1];
            ids_[place] = ids_[place - 1];
        }
        squares_[place] = square;
        ids_[place] = id;
    }

private:
    std::vector<float> squares_;
    std::vector<Index> ids_;
};

constexpr Index tile = 1024;  // points whose coordinates stay in the first cache while a group of rows meets them
constexpr Index piece = 128;  // points whose distances are looked at one by one only if any is near
constexpr Offset rows_at_once = 16;

void meet(const Columns& columns, Index row, Index begin, Index end, Nearest& nearest) {
    std::array<float, piece> square;
    std::vector<const float*> at(static_cast<std::size_t>(columns.dim));
    std::vector<float> point(at.size());
    for (int c = 0; c < columns.dim; ++c) point[static_cast<std::size_t>(c)] = columns.column(c)[row];
    for (Index first = begin; first < end; first += piece) {
        const Index count = std::min(piece, end - first);
        for (int c = 0; c < columns.dim; ++c) at[static_cast<std::size_t>(c)] = columns.column(c) + first;
        const bool filling = nearest.ids().back() < 0;
        if (squared_distances(at.data(), columns.dim, point.data(), count, nearest.worst(), square.data()) == 0 &&
            !filling)
            continue;
        for (Index l = 0; l < count; ++l) {
            if (first + l != row) nearest.offer(square[static_cast<std::size_t>(l)], first + l);
        }
    }
}

}  // namespace

std::vector<Index> map_neighbors(device::Cpu& cpu, const Map& map, std::span<const Index> rows, Index k) {
    const Columns columns(map);
    std::vector<Index> neighbors(rows.size() * static_cast<std::size_t>(k));
    cpu.blocks(static_cast<Offset>(rows.size()), rows_at_once, [&](Offset first, Offset last, int) {
        std::vector<Nearest> nearest(static_cast<std::size_t>(last - first), Nearest(k));
        for (Index begin = 0; begin < columns.size; begin += tile) {
            const Index end = std::min(columns.size, begin + tile);
            for (std::size_t r = 0; r < nearest.size(); ++r) {
                meet(columns, rows[static_cast<std::size_t>(first) + r], begin, end, nearest[r]);
            }
        }
        for (std::size_t r = 0; r < nearest.size(); ++r) {
            std::copy(nearest[r].ids().begin(), nearest[r].ids().end(),
                      neighbors.begin() + (first + static_cast<Offset>(r)) * k);
        }
    });
    return neighbors;
}

}  // namespace dunlin::metrics
