// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/records.hpp"
#include "checkpoint/sections.hpp"
#include "descent/saved_state.hpp"
#include "fuzz.hpp"
#include "kmeans/lloyd_memory.hpp"

using namespace dunlin;

namespace {

struct Objective {
    using Memory = descent::NoMemory;
    void recall(const Memory&) const {}
    static int iterations() { return 1000; }
};

struct Repeller {
    using Memory = std::uint32_t;
    static bool recall(device::Cpu&, MatrixView<const float>, Memory memory) { return memory < 4; }
};

/// Any bytes as a file: its checksums guard what follows.
void read_file(std::span<const std::byte> bytes) {
    const checkpoint::Sections sections({bytes.begin(), bytes.end()});
    checkpoint::RunRecord run;
    std::vector<checkpoint::EndedLoop> ended;
    checkpoint::read_records(sections, run, ended);
}

/// Any bytes as the content of a section, as if their checksum were right.
void read_section(std::span<const std::byte> bytes, int kind) {
    checkpoint::ArchiveReader archive(bytes, checkpoint::fail_for_damage);
    device::Cpu cpu(1);
    if (kind == 0) {
        checkpoint::RunRecord run;
        content(archive, run);
    } else if (kind == 1) {
        std::vector<checkpoint::EndedLoop> ended;
        checkpoint::each_content(archive, ended);
    } else if (kind == 2) {
        descent::DescentState<device::Cpu> state;
        state.n = 6;
        for (auto* values : {&state.y, &state.velocity, &state.gain}) values->resize(12);
        Repeller repeller;
        Objective objective;
        descent::read_descent(archive, cpu, state, repeller, objective);
        fuzz::require(state.y.size() == 12 && descent::is_permutation(state.original));
    } else {
        const kmeans::LloydMemory memory = kmeans::read_lloyd_memory(archive, 10, kmeans::Options{.clusters = 3}, 6);
        fuzz::require(memory.centroids.size() == 6);
    }
    archive.end();
}

}  // namespace

/// Checkpoints: damage is told, and nothing else happens.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
    try {
        data[0] % 8 == 7 ? read_file(bytes) : read_section(bytes, data[0] % 4);
    } catch (const checkpoint::Damage&) {
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    return 0;
}
