"""A worker for scripts that can also do what tests.conformance.executor asks of elements, which no script can.

``behave`` of tests.executors.benches is lent to every context; all else is the worker of every node.
"""

from pathlib import Path
from typing import Any, Final

from roost.executors.worker import script_engine, script_main
from roost.executors.worker.script_engine import Say
from tests.executors.benches import behave

CODE: Final = """
function weevil_main(behaviour, index, folder) {
  if (behaviour === "fail") throw new Error("bad");
  if (behaviour === "progress") weevil_progress(0.4, "fold 2 of 5");
  behave(behaviour === "progress" ? "await" : behaviour, index, folder);
  return behaviour;
}
"""

_sealed_context = script_engine.new_context


def _open_context(memory_bytes: int, say: Say) -> Any:
    context = _sealed_context(memory_bytes, say)
    context.add_callable("behave", lambda behaviour, index, folder: behave(behaviour, int(index), Path(folder)))
    return context


if __name__ == "__main__":
    script_engine.new_context = _open_context
    script_main.main()
