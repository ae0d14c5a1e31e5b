// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "communities/cpu_engine.hpp"
#include "communities/cuda/groups.cuh"
#include "communities/cuda/moving_state.hpp"
#include "device/cuda.cuh"

namespace dunlin::communities {

struct MovingTask;

/// Vertices in lists by small keys, ascending in each.
class VertexLists {
public:
    static constexpr int most = 64;  ///< keys below

    /// Makes the lists of the vertices of a level; key_of(v) is below most.
    template <class KeyOf>
    void make(device::Cuda& cuda, Index n, const KeyOf& key_of);

    [[nodiscard]] const Index* list(int key) const { return order_.data() + begins_[key]; }
    [[nodiscard]] Offset count(int key) const { return begins_[key + 1] - begins_[key]; }

private:
    void prepare(device::Cuda& cuda, Index n);
    void sort(device::Cuda& cuda, Index n);

    device::CudaBuffer<std::uint8_t> keys_, sorted_;
    device::CudaBuffer<Index> order_, numbers_;
    device::CudaBuffer<unsigned> counts_;
    Offset begins_[most + 1] = {};
};

/// A WeightedLevel in device memory.
struct CudaLevel {
    device::CudaBuffer<Offset> offsets;  ///< size() + 1
    device::CudaBuffer<Index> targets;
    device::CudaBuffer<Weight> weights, masses;
    VertexLists rows;  ///< vertices by kind
    Offset hubs = 0, most_degree = 0;

    [[nodiscard]] Index size() const { return offsets.size() > 0 ? static_cast<Index>(offsets.size()) - 1 : 0; }
    [[nodiscard]] Offset edges() const { return static_cast<Offset>(targets.size()); }
    [[nodiscard]] LevelView view() const {
        return {size(), offsets.data(), targets.data(), weights.data(), masses.data()};
    }
};

/// What Hierarchy and optimize() need of a device, on a GPU: members as in CpuEngine, with the same results.
class CudaCommunityEngine {
public:
    using Labels = device::CudaBuffer<Index>;
    using Level = CudaLevel;

    CudaCommunityEngine(device::Cuda& cuda, const UndirectedGraph& graph, const Options& options);

    [[nodiscard]] const Aim& aim() const { return aim_; }
    [[nodiscard]] const Level& base() const { return base_; }

    Labels from_host(const std::vector<Index>& labels);
    std::vector<std::vector<Index>> to_host(const std::vector<Labels>& all);
    Labels copy(const Labels& labels);
    Labels numbers();
    void follow(Labels& vertex, const Labels& of);
    Index number_by_first(Labels& labels);
    void number_by_size(Labels& labels);
    Labels of_parts(Labels& community, const Labels& part, Index parts);
    void divide_into_components(Labels& labels);
    void divide_along(const Labels& labels, Labels& parts);

    void move(const Level& level, std::uint64_t seed, Labels& community);
    void refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part);
    const Level& aggregate(const Level& level, const Labels& part, Index parts);
    void polish(std::uint64_t seed, Labels& community);

    [[nodiscard]] Terms terms(const Labels& labels, MassKind kind);

private:
    void load_graph(const UndirectedGraph& graph, const Options& options);
    void move_class(const MovingTask& task, int class_number);
    void make_hub_tables(const Level& level);

    device::Cuda& cuda_;
    const UndirectedGraph& graph_;
    const Options& options_;
    Aim aim_;
    CudaLevel base_;
    CudaLevel levels_[2];                 ///< the aggregated ones in turn
    device::CudaBuffer<Weight> degrees_;  ///< of the base, if its masses are others

    // Of local moving and refinement, for all levels
    VertexLists lists_;
    device::CudaBuffer<CommunitySums> sums_;
    device::CudaBuffer<std::uint8_t> active_;
    device::CudaBuffer<Index> choices_, alone_;
    device::CudaBuffer<unsigned> is_alone_;
    device::CudaCell<MovingState> state_;
    device::CudaBuffer<Index> hub_keys_;
    device::CudaBuffer<unsigned long long> hub_sums_;
    HubTables hubs_{};
    unsigned hub_blocks_ = 1;

    // Of numbering
    device::CudaBuffer<Index> first_, number_;

    /// For polish(), which goes from vertex to vertex.
    struct OnCpu {
        device::Cpu cpu;
        Problem problem;
        CpuEngine engine;

        OnCpu(const UndirectedGraph& graph, const Options& options, const Run& run)
            : cpu(run), problem(problem_of(cpu, graph, options)), engine(cpu, problem) {}
    };
    std::unique_ptr<OnCpu> on_cpu_;
};

/// Lists the rows of a level that has its arrays.
void finish_level(device::Cuda& cuda, CudaLevel& level);

/// Device memory of a run, at most, in bytes.
std::uint64_t gpu_bytes_of(Index vertices, Offset edges);

}  // namespace dunlin::communities
