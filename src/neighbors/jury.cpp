#include "neighbors/jury.hpp"

namespace dunlin::neighbors {

Jury::Jury(const Frame& frame, Size size, Index degree, std::uint64_t seed) : frame_(frame), degree_(degree) {
    if (degree == 0) return;
    all_ = frame.rows() <= size.all;
    struct Judge {
        Index item;
        bool chooses, measures;
    };
    std::vector<Judge> judges;
    for (const Index row : draw_from_parts(frame.rows(), size.all, seed)) {
        const auto s = std::ssize(judges);
        const bool chooses = (s + 1) * size.choosing / size.all > s * size.choosing / size.all;  // spread evenly
        judges.push_back({frame.item_of(row), chooses || all_, !chooses || all_});
    }
    std::stable_sort(judges.begin(), judges.end(), [](const Judge& a, const Judge& b) { return a.item < b.item; });
    for (const Judge& judge : judges) {
        if (items_.empty() || items_.back() != judge.item) {
            items_.push_back(judge.item);
            choosers_of_.push_back(0);
            measurers_of_.push_back(0);
        }
        choosers_of_.back() += judge.chooses ? 1 : 0;
        measurers_of_.back() += judge.measures ? 1 : 0;
    }
    limits_.resize(items_.size());
    shares_.resize(items_.size());
}

void Jury::learn(std::size_t i, std::span<const Candidate> nearest) {
    Offset rows = frame_.copies(items_[i]) - 1;
    double limit = 0;
    for (auto near = nearest.begin(); near != nearest.end() && rows < degree_; ++near) {
        rows += frame_.copies(frame_.item_of(near->row));
        limit = near->key;
    }
    limits_[i] = limit * (1 + 1e-6);  // by distance, so that ties count
}

void Jury::hear(Index item, std::span<const Candidate> found) {
    const auto place = std::lower_bound(items_.begin(), items_.end(), item);
    if (place == items_.end() || *place != item) return;
    const auto i = static_cast<std::size_t>(place - items_.begin());
    Index listed = 0;
    each_listed(i, found, [&](Index, Index rows) { listed += rows; });
    shares_[i] = static_cast<double>(listed) / degree_;
}

Recall Jury::recall() const {
    std::vector<double> shares;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        shares.insert(shares.end(), static_cast<std::size_t>(measurers_of_[i]), shares_[i]);
    }
    if (shares.empty()) return {};
    const Recall recall = recall_of(shares);
    return {recall.mean, all_ ? 0 : recall.se};
}

Jury::Ranks Jury::of_rows(const std::vector<std::vector<Index>>& ranks, const std::vector<Index>& counts) {
    Ranks rows;
    for (std::size_t i = 0; i < counts.size(); ++i)
        rows.insert(rows.end(), static_cast<std::size_t>(counts[i]), ranks[i]);
    return rows;
}

}  // namespace dunlin::neighbors
