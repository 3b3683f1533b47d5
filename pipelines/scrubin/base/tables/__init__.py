"""What a table is: its name, key, columns, each with dtype, unit, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

Dtype = Literal["str", "int64", "float64", "bool"]
# Nullable pandas dtypes, so that an undefined id stays undefined and does not become a float.
PANDAS: dict[tuple[Dtype, bool], str] = {
    ("str", False): "str",
    ("str", True): "str",
    ("int64", False): "int64",
    ("int64", True): "Int64",
    ("float64", False): "float64",
    ("float64", True): "float64",
    ("bool", False): "bool",
    ("bool", True): "boolean",
}


def arrow(dtype: Dtype) -> pa.DataType:
    """Return the type of a column in a file."""
    # Not a table of types: to say which tables there are takes no PyArrow.
    return pa.type_for_alias("string" if dtype == "str" else dtype)


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    name, dtype, unit, description
        What it is; ``unit`` is "" where there is none.
    null
        What a missing value means; "" when values are never missing.
    between
        Lowest and highest allowed value, both included; None leaves an end open.
    values
        The allowed values; empty means any.
    yes_is_1
        Whether true and false stand for 1 and 0 in a column of numbers.
    """

    name: str
    dtype: Dtype
    unit: str
    description: str
    null: str = ""
    between: tuple[float | None, float | None] | None = None
    values: tuple[str, ...] = ()
    yes_is_1: bool = False

    @property
    def nullable(self) -> bool:
        """Whether values may be missing."""
        return bool(self.null)

    @property
    def pandas_dtype(self) -> str:
        """The dtype of the column in a data frame."""
        return PANDAS[self.dtype, self.nullable]


@dataclass(frozen=True)
class Table:
    """One table; ``key`` identifies a row and is the order of rows in the file."""

    name: str
    description: str
    private: bool
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.key) - set(self.column_names))
        if unknown or len(set(self.column_names)) != len(self.columns):
            raise ValueError(f"table '{self.name}': key {unknown} is not among the columns, or a column stands twice")

    @property
    def column_names(self) -> list[str]:
        """The names of all columns, in order."""
        return [column.name for column in self.columns]

    def only(self, *names: str) -> tuple[Column, ...]:
        """Return some of the columns, in this order."""
        by_name = {column.name: column for column in self.columns}
        return tuple(by_name[name] for name in names)

    @property
    def schema(self) -> pa.Schema:
        """The parquet schema; unit and meaning travel in the file."""
        return pa.schema(
            [
                pa.field(
                    column.name,
                    arrow(column.dtype),
                    nullable=column.nullable,
                    metadata={"unit": column.unit, "description": column.description, "null": column.null},
                )
                for column in self.columns
            ],
            metadata={"table": self.name, "description": self.description},
        )
