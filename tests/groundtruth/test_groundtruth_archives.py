import io
import zipfile

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scrubin.labels.truth.recognition import npz


@given(
    st.dictionaries(st.sampled_from(["ivt", "frame", "i"]), hnp.arrays(st.sampled_from([np.int8, np.int64]), hnp.array_shapes(max_side=4)))
)
def test_numpy_reads_what_was_written(arrays):
    with np.load(io.BytesIO(npz(arrays)), allow_pickle=False) as archive:
        assert set(archive.files) == set(arrays)
        for name, array in arrays.items():
            assert archive[name].dtype == array.dtype
            assert np.array_equal(archive[name], array)


def test_the_same_arrays_give_the_same_bytes_whatever_their_order_in_memory(monkeypatch):
    a, b = np.arange(12, dtype=np.int8).reshape(3, 4), np.zeros(2, np.int64)
    first = npz({"a": a, "b": b})
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert npz({"b": b, "a": np.asfortranarray(a)}) == first


def test_zip_headers_tell_nothing():
    with zipfile.ZipFile(io.BytesIO(npz({"a": np.zeros(1)}))) as archive:
        (entry,) = archive.infolist()
    assert entry.date_time == (1980, 1, 1, 0, 0, 0)
    assert (entry.extra, entry.comment, entry.compress_type) == (b"", b"", zipfile.ZIP_STORED)
