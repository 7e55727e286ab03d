"""Documents of WEB's language for tests: a sound one, and what is told when a piece of it is exchanged."""

from pathlib import Path

import pytest

from roost.languages.outline import Reading
from roost.languages.weevil.reading import read_weevil
from roost.model.errors import InvalidInput

#: Two numbers, a job that takes them, and a pool over an array.
SOUND = """<workflow>
  <nodes>
    <value id="one" value="1" returntype="Number" />
    <value id="two" value="2" returntype="Number" />
    <value id="list" value="[1, 2, 3]" returntype="Array" />
    <job id="sum" src="add" returntype="Number">
      <parameters>
        <parameter id="a" paramtype="Number" />
        <parameter id="b" paramtype="Number" />
      </parameters>
    </job>
    <pool id="pool" returntype="Number">
      <parameters>
        <parameter id="items" paramtype="Array" />
      </parameters>
      <processor id="square" src="square" returntype="Number">
        <parameters>
          <parameter id="x" paramtype="Number" />
        </parameters>
      </processor>
      <reducer id="total" src="total" returntype="Number">
        <parameters>
          <parameter id="xs" paramtype="Array" />
        </parameters>
      </reducer>
    </pool>
  </nodes>
  <edges>
    <edge id="e1" source="one" dest="sum" paramdest="a" />
    <edge id="e2" source="two" dest="sum" paramdest="b" />
    <edge id="e3" source="list" dest="pool" paramdest="items" />
  </edges>
  <finalnode id="sum" />
  <finalnode id="pool" />
</workflow>
"""
FILES = {
    "jobs/add.js": "function weevil_main(a, b) { return a + b; }\n",
    "jobs/square.js": "function weevil_main(x) { return x * x; }\n",
    "jobs/total.js": "function weevil_main(xs) { return xs.reduce(function (s, x) { return s + x; }, 0); }\n",
}


class Folder:
    """A folder with jobs in which documents are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name, text in FILES.items():
            self.put(name, text)

    def put(self, name: str, text: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, document: str | bytes, **overrides: str) -> Reading:
        data = document.encode() if isinstance(document, str) else document
        return read_weevil(data, self.path / "w.xml", overrides)

    def told(self, document: str | bytes, **overrides: str) -> list[str]:
        """Return the sentences about a document that is wrong, without the path."""
        with pytest.raises(InvalidInput) as caught:
            self.read(document, **overrides)
        return str(caught.value).replace(f"{self.path}/", "").splitlines()

    def warned(self, document: str | bytes) -> list[str]:
        return [warning.replace(f"{self.path}/", "") for warning in self.read(document).warnings]


def changed(old: str, new: str, document: str = SOUND) -> str:
    assert document.count(old) == 1, f"{old} must be in the document once"
    return document.replace(old, new)
