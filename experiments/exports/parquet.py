"""Parquet: one typed column each, with unit, direction and meaning in the field's metadata.

The schema's metadata holds the sentence of the `recommendation`, and the `notes` as a JSON list.
Missing cells are null. pandas turns integers beside nulls into floats unless it is asked for
`read_parquet(path, dtype_backend="numpy_nullable")`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from experiments.tables import Table


def render(table: Table) -> Iterator[bytes]:
    """The whole file: its end holds the places of its parts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
    fields = [
        pa.field(
            held.name,
            types[held.kind],
            metadata={"unit": held.unit, "direction": held.direction, "meaning": held.meaning},
        )
        for held in table.columns
    ]
    columns = [pa.array(cells, type=field.type) for field, cells in zip(fields, table.cells, strict=True)]
    file = io.BytesIO()
    about = {"notes": json.dumps(table.notes, ensure_ascii=False)}
    if table.recommendation is not None:
        about["recommendation"] = table.recommendation.sentence
    pq.write_table(pa.table(columns, schema=pa.schema(fields, metadata=about)), file)
    yield file.getvalue()
