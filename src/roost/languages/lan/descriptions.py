"""The task descriptions of a folder (LAN 4.3, listing 4.1), found by the type that they describe."""

from roost.languages.lan.description import TaskDescription, read_description
from roost.languages.problems import did_you_mean, shown
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_DESCRIPTION_BYTES_MAX, LAN_DESCRIPTIONS_MAX


class Descriptions:
    """All descriptions in a folder, read when the first of them is asked for."""

    def __init__(self, given: TaskDescription) -> None:
        self._given = given
        self._by_type: dict[str, list[TaskDescription]] = {}
        #: Files that cannot be read: they matter only if what is looked for is found nowhere.
        self._unreadable: list[str] = []

    def of_type(self, wanted: str, asker: TaskDescription, line: int) -> TaskDescription:
        """Return the description of a type. Raise InvalidInput, at the place of who asks, if there is not just one."""
        if not self._by_type:
            self._read_folder()
        found = self._by_type.get(wanted, [])
        if len(found) > 1:
            files = " and ".join(one.file.name for one in found[:2])
            raise asker.wrong(line, f"the type {shown(wanted)} is described by both {files}; rename one of the types")
        if not found:
            raise asker.wrong(line, f"no file in this folder describes the type {shown(wanted)}{self._hint(wanted)}")
        return found[0]

    def _hint(self, wanted: str) -> str:
        if self._unreadable:
            return f"; perhaps this one should: {self._unreadable[0]}"
        return did_you_mean(wanted, self._by_type) or "; add its description beside this one"

    def _read_folder(self) -> None:
        self._note(self._given)
        given = self._given.file.absolute()
        files = sorted(path for path in given.parent.glob("*.xml") if path != given and path.is_file())
        if len(files) > LAN_DESCRIPTIONS_MAX:
            raise InvalidInput(
                f"{given.parent} has {len(files):,} XML files; move those that describe tasks, at most "
                f"{LAN_DESCRIPTIONS_MAX:,}, to a folder of their own"
            )
        for file in files:
            try:
                with file.open("rb") as opened:
                    self._note(read_description(opened.read(LAN_DESCRIPTION_BYTES_MAX + 1), file))
            except OSError as error:
                self._unreadable.append(f"{file.name}: {error.strerror}")
            except InvalidInput as error:
                # A file of parameters or of another language lies here rightly.
                if "a task description begins with <task>" not in str(error):
                    self._unreadable.append(str(error))

    def _note(self, described: TaskDescription) -> None:
        self._by_type.setdefault(described.type, []).append(described)
