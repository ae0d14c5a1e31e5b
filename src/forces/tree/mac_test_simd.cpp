// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "forces/attraction/edge_batch.hpp"
#include "forces/tree/mac_test.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)
#define DUNLIN_HAS_AVX512
// g++ 12 warns of undefined values and sign conversions inside its own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <immintrin.h>
#define DUNLIN_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))
#endif

namespace dunlin::forces {

/// Branch-free: writes the id to both lists and advances one of them.
template <int D>
MacCounts mac_test_plain(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box,
                         Index* accepted, Index* opened) {
    MacCounts counts{};
    for (Index i = 0; i < count; ++i) {
        const TreeNode<D>& cell = nodes[ids[i]];
        float distance2 = 0;
        for (std::size_t d = 0; d < D; ++d) {
            const float gap = std::max(std::max(box.low[d] - cell.at[d], cell.at[d] - box.high[d]), 0.0F);
            distance2 += gap * gap;
        }
        const bool is_accepted = distance2 > cell.accept_r2;
        accepted[counts.accepted] = ids[i];
        opened[counts.opened] = ids[i];
        counts.accepted += is_accepted ? 1 : 0;
        counts.opened += is_accepted ? 0 : 1;
    }
    return counts;
}

namespace {

#ifdef DUNLIN_HAS_AVX512

/// Tests 16 cells at a time.
template <int D>
DUNLIN_AVX512 MacCounts mac_test_avx512(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box,
                                        Index* accepted, Index* opened) {
    const auto* fields = reinterpret_cast<const float*>(nodes);
    MacCounts counts{};
    for (Index i = 0; i < count; i += 16) {
        const auto valid = static_cast<__mmask16>(count - i >= 16 ? 0xffffU : (1U << (count - i)) - 1);
        const __m512i id = _mm512_maskz_loadu_epi32(valid, ids + i);
        const __m512i place = _mm512_slli_epi32(id, 3);  // 8 fields a node
        __m512 distance2 = _mm512_setzero_ps();
        for (std::size_t d = 0; d < D; ++d) {
            const __m512 at = _mm512_i32gather_ps(place, fields + d, 4);
            const __m512 below = _mm512_sub_ps(_mm512_set1_ps(box.low[d]), at);
            const __m512 above = _mm512_sub_ps(at, _mm512_set1_ps(box.high[d]));
            const __m512 gap = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
            distance2 = _mm512_fmadd_ps(gap, gap, distance2);
        }
        const __m512 accept_r2 = _mm512_i32gather_ps(place, fields + D, 4);
        const __mmask16 is_accepted = _mm512_mask_cmp_ps_mask(valid, distance2, accept_r2, _CMP_GT_OQ);
        const __mmask16 is_opened = static_cast<__mmask16>(valid & ~is_accepted);
        _mm512_storeu_si512(accepted + counts.accepted, _mm512_maskz_compress_epi32(is_accepted, id));
        _mm512_storeu_si512(opened + counts.opened, _mm512_maskz_compress_epi32(is_opened, id));
        counts.accepted += __builtin_popcount(is_accepted);
        counts.opened += __builtin_popcount(is_opened);
    }
    return counts;
}

#endif

}  // namespace

template <int D>
MacCounts mac_test(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box, Index* accepted,
                   Index* opened) {
#ifdef DUNLIN_HAS_AVX512
    static const bool wide = has_avx512();
    // 32-bit gather indices suffice for 2^28 nodes, more than 2^31 points have
    if (wide) return mac_test_avx512<D>(nodes, ids, count, box, accepted, opened);
#endif
    return mac_test_plain<D>(nodes, ids, count, box, accepted, opened);
}

template MacCounts mac_test_plain<2>(const TreeNode<2>*, const Index*, Index, const GroupBox<2>&, Index*, Index*);
template MacCounts mac_test_plain<3>(const TreeNode<3>*, const Index*, Index, const GroupBox<3>&, Index*, Index*);
template MacCounts mac_test<2>(const TreeNode<2>*, const Index*, Index, const GroupBox<2>&, Index*, Index*);
template MacCounts mac_test<3>(const TreeNode<3>*, const Index*, Index, const GroupBox<3>&, Index*, Index*);

}  // namespace dunlin::forces
