"""Settings: who has the last word, what is refused, and that writing keeps what people wrote."""

import tomllib
from pathlib import Path

import pytest

from roost.app.config import KEYS, known_key, read_config, write_setting
from roost.model.errors import InvalidInput
from roost.model.limits import MIB, OUTPUT_QUOTA_BYTES
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.runtime.network.mesh_settings import MeshSettings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def origins(path: Path, environ: dict[str, str], flags: dict[str, str | None]) -> tuple[object, str]:
    setting = next(setting for setting in read_config(path, environ, flags).settings if setting.key.name == "cpus")
    return setting.value, setting.origin


def test_without_anything_the_defaults_count(path: Path) -> None:
    config = read_config(path, {})
    assert [setting.origin for setting in config.settings] == ["default"] * len(KEYS)
    assert (config.cpus, config.memory_bytes, config.value("nice")) == (None, None, 10)


def test_a_flag_wins_over_the_environment_and_that_over_the_file(path: Path) -> None:
    path.write_text("cpus = 1")
    assert origins(path, {}, {}) == (1.0, str(path))
    assert origins(path, {"ROOST_CPUS": "2"}, {}) == (2.0, "ROOST_CPUS")
    assert origins(path, {"ROOST_CPUS": "2"}, {"cpus": "3"}) == (3.0, "flag")
    assert origins(path, {"ROOST_CPUS": ""}, {"cpus": None}) == (1.0, str(path))


def test_sizes_are_read_as_people_write_them(path: Path) -> None:
    assert read_config(path, {"ROOST_MEMORY": "2GiB"}).memory_bytes == 2 * 1024**3
    assert read_config(path, {"ROOST_OUTPUT": "3MB"}).output_bytes == 3_000_000
    assert read_config(path, {}).output_bytes == OUTPUT_QUOTA_BYTES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cpus", "many"),
        ("cpus", "0"),
        ("cpus", "nan"),
        ("memory", "0"),
        ("memory", "big"),
        ("nice", "20"),
        ("nice", "1.5"),
        ("port", "70000"),
        ("nice", "-1"),
        ("keep_runs", "soon"),
        ("record", "much"),
        ("record", "1KiB"),
        ("lan", "on"),
        ("lan", "70000"),
        ("lan", "somewhere:4070"),
        ("programs", " "),
        ("mesh", "maybe"),
        ("udp_port", "0"),
        ("name", "my laptop"),
        ("fairness", "best"),
        ("fairness_group", "1"),
        ("fairness_group", "101"),
        ("peers", "10.0.0.5:x"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_place(path: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name} from ROOST_{name.upper()}"):
        read_config(path, {f"ROOST_{name.upper()}": value})


def test_lan_s_port_is_off_by_default_and_on_this_machine_if_nothing_else_is_said(path: Path) -> None:
    assert read_config(path, {}).value("lan") == "off"
    assert read_config(path, {"ROOST_LAN": "4070"}).value("lan") == "127.0.0.1:4070"
    write_setting("lan", "192.168.1.5:4070", path)
    assert path.read_text() == 'lan = "192.168.1.5:4070"\n'
    assert read_config(path, {}).value("lan") == "192.168.1.5:4070"


def test_runs_are_kept_for_ever_unless_the_owner_says_how_long(path: Path) -> None:
    assert read_config(path, {}).keep_runs_s is None
    write_setting("keep_runs", "30d", path)
    assert read_config(path, {}).keep_runs_s == 30 * 86_400
    assert read_config(path, {"ROOST_KEEP_RUNS": "off"}).keep_runs_s is None


def test_a_node_records_a_bounded_part_of_its_life_unless_it_is_told_not_to(path: Path) -> None:
    assert read_config(path, {}).recording_bytes == 64 * MIB
    write_setting("record", "1GiB", path)
    assert read_config(path, {}).recording_bytes == 1024 * MIB
    assert read_config(path, {"ROOST_RECORD": "off"}).recording_bytes == 0


def test_a_node_leaves_nothing_to_others_unless_its_owner_wants_fairness(path: Path) -> None:
    assert read_config(path, {}).fairness == NO_FAIRNESS
    write_setting("fairness", "worse-than-average", path)
    write_setting("fairness_group", "4", path)
    assert read_config(path, {}).fairness == Fairness("worse-than-average", 4)
    assert read_config(path, {"ROOST_FAIRNESS": "none"}).fairness == Fairness("none", 4)


def test_a_node_is_called_as_its_owner_says(path: Path) -> None:
    assert read_config(path, {}).node_name is None
    assert read_config(path, {"ROOST_NAME": "attic-2"}).node_name == "attic-2"


def test_a_node_looks_for_others_unless_it_is_told_not_to(path: Path) -> None:
    assert read_config(path, {}).mesh == MeshSettings()
    assert read_config(path, {"ROOST_MESH": "OFF"}).mesh is None
    path.write_text("mesh = true\nudp_port = 5000\npeers = 'lab-1, 10.0.0.5:6000'")
    assert read_config(path, {}).mesh == MeshSettings(5000, (("lab-1", 5000), ("10.0.0.5", 6000)))
    path.write_text("mesh = false")
    assert read_config(path, {}).mesh is None


def test_a_file_that_is_not_toml_is_refused_by_name(path: Path) -> None:
    path.write_text("cpus = = 3")
    with pytest.raises(InvalidInput, match=r"config\.toml is not TOML"):
        read_config(path, {})


def test_bytes_that_are_not_text_are_refused(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not TOML"):
        read_config(path, {})


def test_unknown_names_in_the_file_are_told(path: Path) -> None:
    path.write_text("cpu = 3\n[notes]\nx = 1\n")
    assert read_config(path, {}).unknown == ("cpu", "notes")


def test_writing_keeps_comments_unknown_lines_and_tables(path: Path) -> None:
    path.write_text('# mine\ncpus = 1  # few\nodd = "x"\n\n[table]\ncpus = 7\n')
    write_setting("cpus", "2.5", path)
    write_setting("memory", "4GiB", path)
    assert path.read_text() == ('# mine\ncpus = 2.5  # few\nodd = "x"\n\nmemory = "4GiB"\n[table]\ncpus = 7\n')
    assert tomllib.loads(path.read_text())["memory"] == "4GiB"


def test_writing_makes_the_file_and_its_folder(tmp_path: Path) -> None:
    write_setting("nice", "5", tmp_path / "new" / "config.toml")
    assert (tmp_path / "new" / "config.toml").read_text() == "nice = 5\n"


def test_a_refused_value_changes_nothing(path: Path) -> None:
    path.write_text("nice = 3\n")
    with pytest.raises(InvalidInput, match="nice"):
        write_setting("nice", "99", path)
    assert path.read_text() == "nice = 3\n"


def test_a_form_that_cannot_be_changed_safely_is_left_alone(path: Path) -> None:
    text = 'memory = """\n4GiB"""\n'
    path.write_text(text)
    with pytest.raises(InvalidInput, match="editor"):
        write_setting("memory", "8GiB", path)
    assert path.read_text() == text


def test_an_unknown_key_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidInput, match="cpus, memory"):
        known_key("colour")


def test_every_key_says_what_it_costs_and_its_default_is_allowed() -> None:
    for key in KEYS:
        assert key.unit
        assert key.meaning.endswith(".")
        assert key.default is None or key.read(str(key.default)) == key.default


def test_the_log_of_a_node_has_bounds(tmp_path: Path) -> None:
    config = read_config(tmp_path / "none", {"ROOST_LOG_SIZE": "64KiB", "ROOST_LOG_FILES": "0"})
    assert (config.log_bytes, config.value("log_files")) == (64 * 1024, 0)
    for name, value in (("LOG_SIZE", "1KiB"), ("LOG_SIZE", "2GiB"), ("LOG_FILES", "101"), ("LOG_FILES", "-1")):
        with pytest.raises(InvalidInput, match="lies outside"):
            read_config(tmp_path / "none", {f"ROOST_{name}": value})


def test_an_owner_gives_a_node_words_of_his_own(path: Path) -> None:
    assert read_config(path, {}).tags == ()
    assert write_setting("tags", " quiet, lab,,lab ", path) == "lab,quiet"
    assert read_config(path, {}).tags == ("lab", "quiet")
    assert read_config(path, {"ROOST_TAGS": "x86.v3"}).tags == ("x86.v3",)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ("two words", "'two words' is no tag: it has 1 to 48 letters"),
        ("x" * 49, "is no tag"),
        (",".join(f"t{number}" for number in range(17)), "there are 17 tags; give at most 16"),
    ],
)
def test_what_is_no_tag_is_refused(path: Path, tags: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        write_setting("tags", tags, path)
