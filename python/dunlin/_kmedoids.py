# SPDX-License-Identifier: Apache-2.0
"""kmedoids()."""

from . import _core, _results
from ._anndata import annotated
from ._groups import KMEDOIDS, MDS_POINTS, SEQUENCES, SEQUENCES_BESIDE_POINTS, known_names
from ._kinds import recorded
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished
from ._scaling import SOURCES_OWN, items_of, rows_of_items, with_names_read, without_options_of_items


@with_options(MDS_POINTS, SEQUENCES_BESIDE_POINTS, KMEDOIDS, RUN, own=SOURCES_OWN + OWN)
def kmedoids(
    X=None,
    n_clusters=8,
    *,
    dissimilarities=None,
    distance=None,
    graph=None,
    strings=None,
    tracks=None,
    n=None,
    max_distances=None,
    use_rep=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Clusters items with any dissimilarities around medoids, which are items, by FasterPAM (Schubert and Rousseeuw 2021).

    The result does not depend on the number of threads.

    Returns
    -------
    KMedoidsResult
        ``labels``, ``ids`` (names of the items, where they have them), ``medoids``, ``counts``, ``inertia``, ``silhouette``.

    Examples
    --------
    >>> import dunlin
    >>> dunlin.kmedoids(strings=["cat", "cart", "car", "house", "mouse"], n_clusters=2).counts.tolist()
    [2, 3]
    """
    sources = {
        "X": annotated(X, use_rep),
        "dissimilarities": dissimilarities,
        "distance": distance,
        "graph": graph,
        "strings": strings,
        "tracks": tracks,
    }
    known = known_names(KMEDOIDS, MDS_POINTS, SEQUENCES, own=(*sources, "n", "max_distances", "use_rep"))
    options.update(n_clusters=n_clusters, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks)
    chosen = KMEDOIDS.take(options)
    refuse_unknown("kmedoids", without_options_of_items(options), known)
    with translating(KMEDOIDS, MDS_POINTS, SEQUENCES, RUN):
        sources = with_names_read(sources, run)
        items = items_of(sources, n, options, run)
        if max_distances is not None:
            items.allow(int(max_distances))
        outcome = _core.kmedoids(items, chosen, run.core(), run.callback())
        of = rows_of_items(sources)
        ids = None if of is None else of.ids

        def wrap(values):
            values["options"] |= recorded(sources["X"])
            return _results.KMedoidsResult(KMEDOIDS, {**values, "ids": ids})

        return finished(outcome, wrap)
