"""What is noted of a mesh while it works."""

from roost.lab.meshes.measured import MeasuredMesh, Step


def test_executions_and_ends_are_noted_with_their_times() -> None:
    world = MeasuredMesh(1, 1)
    began = world.greet()
    run = world.hand_in(0, [Step(2, 3.0)])
    assert world.ledger.ends == {}
    world.work([run])
    [task] = world.tasks_of(run)
    times = world.ledger.executions[task]
    assert [round(end - start, 6) for start, end in times] == [3.0, 3.0]
    assert began - 1e-6 <= times[0][0]
    assert times[0][1] <= times[1][0] + 1e-6
    assert times[1][1] <= world.ledger.ends[run]
