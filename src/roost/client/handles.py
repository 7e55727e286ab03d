"""Handles stand for results that are not there yet: whole, in part, item by item, gathered."""

from typing import TYPE_CHECKING, Any, Final, NoReturn

from roost.client.shapes import ANYTHING, Shape
from roost.languages.problems import did_you_mean
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX
from roost.model.task import PortType

if TYPE_CHECKING:
    from roost.client.workflow import Workflow

_ONLY_HERE: Final = "only the pickler of a workflow takes this"


class Handle:
    """Stands for the result of a step that has not run. ``length`` is None for a single result.

    In a pool, whose length is known only at run time, ``mappers`` are the steps whose lists say it, the outermost
    first, and ``length`` is that of the outermost.
    """

    def __init__(
        self,
        flow: "Workflow",
        name: str,
        length: int | None,
        mappers: tuple[str, ...] = (),
        gives: Shape = ANYTHING,
        pick: str = "",
    ) -> None:
        self.flow = flow
        self.name = name
        self.length = length
        self.mappers = mappers
        #: What a function's annotation, a value or a form says about the result, or about its part.
        self.gives = gives
        #: The part of the result that is meant; empty for all of it.
        self.pick = pick

    def __getitem__(self, key: str | int) -> "Handle":
        """Stand for a part of the result: the value of a key, or the item of a number.

        Of an array or a pool it is this part of each result.
        """
        return Handle(self.flow, self.name, self.length, self.mappers, self.gives.part(str(key)), self._picked(key))

    def _picked(self, key: str | int) -> str:
        if self.pick:
            raise InvalidInput(f"{self} is a part already; take a part of it inside a function")
        if isinstance(key, bool | slice) or (isinstance(key, int) and key < 0):
            raise InvalidInput(f"{key!r} cannot name a part of {self}; use a name, or a number from 0 on")
        if not 0 < len(str(key)) <= NAME_LENGTH_MAX:
            raise InvalidInput(f"the name of a part of {self} has 1 to {NAME_LENGTH_MAX} characters")
        if self.gives.type not in {PortType.ANY, PortType.ARRAY, PortType.OBJECT}:
            raise InvalidInput(f"'{self.name}' gives {self.gives.type}, which has no parts")
        fields = self.gives.fields
        if fields is not None and str(key) not in fields:
            raise InvalidInput(f"'{self.name}' gives nothing named '{key}'{did_you_mean(str(key), fields)}")
        return str(key)

    def spread(self) -> "Spread":
        """In a map: one call for each item of the list that the result is, however long that will be."""
        if self.pick:
            raise InvalidInput(f"{self} is a part; return the list by itself to go through its items")
        if self.gives.type not in {PortType.ANY, PortType.ARRAY}:
            raise InvalidInput(f"'{self.name}' gives {self.gives.type}; only a list can be spread")
        return Spread(self)

    def gather(self) -> "Gather":
        """In a map: the list of the results in a pool that belong to the element outside of it."""
        if not self.mappers:
            raise InvalidInput(f"'{self.name}' is in no pool; pass it as it is to get the list of all its results")
        return Gather(self)

    def __iter__(self) -> NoReturn:
        raise InvalidInput(f"the results of '{self.name}' are not there yet; go through them with a task's map()")

    def __bool__(self) -> NoReturn:
        raise InvalidInput(f"the result of '{self.name}' is not there yet; ask for it inside a function")

    def __reduce__(self) -> NoReturn:
        # Plain pickle gives up here, and the pickler that knows handles takes over.
        raise TypeError(
            f"'{self.name}' is the result of another workflow, or of none; run that first and pass its value"
        )

    def __repr__(self) -> str:
        part = f"part '{self.pick}' of the " if self.pick else ""
        many = ", a pool" if self.mappers else "" if self.length is None else f", {self.length:,} elements"
        return f"<{part}result of {self.name}{many}>"


class Spread:
    """The items of a list, one for each call."""

    def __init__(self, handle: Handle, pick: str = "") -> None:
        self.handle = handle
        #: The part of each item that is meant.
        self.pick = pick

    def __getitem__(self, key: str | int) -> "Spread":
        """Stand for a part of each item."""
        item = Handle(self.handle.flow, self.handle.name, None, gives=self.handle.gives.items or ANYTHING)
        return Spread(self.handle, item[key].pick)

    @property
    def gives(self) -> Shape:
        item = self.handle.gives.items or ANYTHING
        return item.part(self.pick) if self.pick else item

    def __iter__(self) -> NoReturn:
        iter(self.handle)
        raise AssertionError("a handle cannot be gone through")

    def __reduce__(self) -> NoReturn:
        raise TypeError(_ONLY_HERE)


class Gather:
    """The results in a pool that belong to one element outside."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    def __reduce__(self) -> NoReturn:
        raise TypeError(_ONLY_HERE)


def require_handle(value: object) -> None:
    """Raise InvalidInput for what is no result of a step."""
    if not isinstance(value, Handle):
        raise InvalidInput(f"{value!r:.60} is no result of a step; give what a task returned inside the workflow")


def handle_in(value: Any) -> Handle | None:
    """Return the handle that an argument is, or is made of."""
    if isinstance(value, Spread | Gather):
        return value.handle
    return value if isinstance(value, Handle) else None
