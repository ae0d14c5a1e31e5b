# SPDX-License-Identifier: Apache-2.0
"""Makes the annotated matrices of this folder that were not brought: make_annotated.py. Needs anndata and h5py."""

import pathlib

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

HERE = pathlib.Path(__file__).resolve().parent
CELLS, GENES = [f"c{i}" for i in range(12)], ["g0", "g1", "g2", "g3"]
X = np.arange(48, dtype=np.float32).reshape(12, 4) % 7
TYPES = [["B", "NK", "T"][i % 3] for i in range(12)]


def at(name):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    return path


def cells():
    """obs has a column of every kind that anndata writes, obsm and layers every kind of matrix."""
    obs = pd.DataFrame(index=pd.Index(CELLS))
    obs["ct"] = pd.Categorical([None if i == 4 else TYPES[i] for i in range(12)])
    obs["ni"] = pd.array([None if i == 2 else i % 2 + 5 for i in range(12)], dtype="Int64")
    obs["nb"] = pd.array([None if i == 3 else i % 2 == 0 for i in range(12)], dtype="boolean")
    obs["b"] = [i % 2 == 0 for i in range(12)]
    obs["f"] = np.array([0.1 * (i % 3) if i != 5 else np.nan for i in range(12)], np.float32)
    obs["big"] = np.array([2**62 + i % 2 for i in range(12)], np.int64)
    obs["leiden"] = pd.Categorical([str(i % 4) for i in range(12)])
    obs["g1"] = np.arange(12.0)
    adata = anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=GENES))
    adata.raw = anndata.AnnData(sp.csr_matrix(np.hstack([X, X[:, :1] + 1])), obs=obs, var=pd.DataFrame(index=[*GENES, "g9"]))
    adata.obsm["X_scvi"] = np.hstack([X[:, :2] * 2, X[:, 2:3]])
    adata.obsm["frame"] = pd.DataFrame({"a": np.arange(12.0), "b": np.arange(12) % 5}, index=CELLS)
    adata.obsm["csr"], adata.obsm["csc"] = sp.csr_matrix(X), sp.csc_matrix(X)
    adata.layers["counts"], adata.layers["csr"] = sp.csc_matrix(X), sp.csr_matrix(X)
    return adata


def tenx(path, names, version=3):
    counts = sp.csc_matrix(X[:, : len(names)].T.astype(np.int32))
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix" if version == 3 else "GRCh38")
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(counts, part)
        group["shape"] = np.array(counts.shape)
        group["barcodes"] = np.array(CELLS, "S")
        ids = np.array([f"ENSG{g}" for g in range(len(names))], "S")
        if version == 3:
            features = group.create_group("features")
            features["id"], features["name"] = ids, np.array(names, "S")
        else:
            group["genes"], group["gene_names"] = ids, np.array(names, "S")


def old(path):
    """anndata 0.6: records, with a category that is missing, an X of numbers, raw, and no obsm."""
    with h5py.File(path, "w") as file:
        obs = np.zeros(12, dtype=[("cells", "S4"), ("ct", "i1"), ("depth", "<f4")])
        obs["cells"], obs["depth"] = np.array(CELLS, "S"), np.arange(12)
        obs["ct"] = [-1 if i == 4 else i % 3 for i in range(12)]
        file["obs"], file["X"] = obs, X
        file["var"] = np.array([(g.encode(),) for g in GENES], dtype=[("index", "S4")])
        file["raw.X"] = X + 1
        file["raw.var"] = np.array([(g.encode(),) for g in GENES], dtype=[("index", "S4")])
        file["uns/ct_categories"] = np.array([b"B", b"NK", b"T"])


def main():
    anndata.settings.allow_write_nullable_strings = True
    cells().write_h5ad(at("h5ad-nullable/cells.h5ad"))
    named = cells()
    named.obs["ns"] = pd.array([None if i == 6 else TYPES[i] for i in range(12)], dtype="string")
    del named.raw, named.layers, named.obsm
    named.obs = named.obs[["ns"]]
    named.write_h5ad(at("h5ad-nullable/strings.h5ad"), convert_strings_to_categoricals=False)
    with h5py.File(HERE / "h5ad-nullable/strings.h5ad", "r+") as file:
        assert file["obs/ns"].attrs["encoding-type"] == "nullable-string-array"
    backed = cells()
    backed.obs = backed.obs[["ct", "g1"]]
    backed.write_h5ad(at("h5ad-other/cells.h5ad"))
    for name, counts in (("csr", sp.csr_matrix(X)), ("csc", sp.csc_matrix(X)), ("boolx", X > 3)):
        anndata.AnnData(counts, obs=pd.DataFrame({"ct": pd.Categorical(TYPES)}, index=CELLS), var=pd.DataFrame(index=GENES)).write_h5ad(at(f"h5ad-other/{name}.h5ad"))
    nox = anndata.AnnData(obs=pd.DataFrame(index=CELLS))
    nox.obsm["X_scvi"] = X
    nox.write_h5ad(at("h5ad-other/nox2.h5ad"))
    tenx(at("h5ad-other/twice.h5"), ["A", "A", "B", "C"])
    tenx(at("h5ad-other/tenx2.h5"), GENES, version=2)
    with h5py.File(at("h5ad-other/zstd.h5ad"), "w") as file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_chunk((12, 4))
        made.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))
        space = h5py.h5s.create_simple((12, 4))
        data = h5py.h5d.create(file.id, b"X", h5py.h5t.IEEE_F32LE, space, made)
        data.write_direct_chunk((0, 0), b"(\xb5/\xfd not unpacked by the test", 0)
    old(at("h5ad-06/none.h5ad"))
    with h5py.File(at("h5ad-old-categories/numbers.h5ad"), "w") as file:
        file["X"] = X
        obs, var = file.create_group("obs"), file.create_group("var")
        obs.attrs["_index"], var.attrs["_index"] = "cell_id", "_index"
        obs["cell_id"], var["_index"] = np.array(CELLS, "S"), np.array(GENES, "S")
        obs["year"], obs["plain"] = np.array([i % 2 for i in range(12)], np.int8), np.arange(12) % 2
        obs["__categories/year"] = np.array([1999, 2024])
        obs["year"].attrs["categories"] = obs["__categories/year"].ref
        obs.attrs["column-order"] = np.array(["year", "plain"], dtype=h5py.string_dtype())


main()
