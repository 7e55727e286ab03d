"""Checks values against JSON Schema, as far as ours use it; anything else in a schema is an error."""

import re
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_IGNORED = {"$schema", "title", "description", "default", "contentEncoding", "discriminator", "definitions"}
_KNOWN = _IGNORED | {
    "$ref", "type", "enum", "const", "anyOf", "items", "properties", "required", "additionalProperties", "minLength",
    "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "pattern", "patternProperties",
    "minProperties", "maxProperties", "propertyNames",
}  # fmt: skip


class SchemaMismatch(AssertionError):
    pass


class SchemaChecker:
    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas

    def check(self, value: Any, schema: dict[str, Any], at: str = "$") -> None:
        """Raise SchemaMismatch with the place where the value does not fit."""
        unknown = set(schema) - _KNOWN
        _require(not unknown, at, f"the schema uses {unknown}, which this checker does not know")
        if "$ref" in schema:
            self.check(value, self._schemas[schema["$ref"].rpartition("/")[2]], at)
        if "anyOf" in schema:
            _require(any(self._fits(value, one) for one in schema["anyOf"]), at, f"{value!r} fits none of several")
        if "type" in schema:
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            _require(any(_is_of(value, one) for one in types), at, f"{value!r} is not {schema['type']}")
        _require(value in schema.get("enum", [value]), at, f"{value!r} is not one of {schema.get('enum')}")
        _require(value == schema.get("const", value), at, f"{value!r} is not {schema.get('const')}")
        _check_bounds(value, schema, at)
        if isinstance(value, dict):
            self._check_object(value, schema, at)
        if isinstance(value, list):
            for position, inner in enumerate(value):
                self.check(inner, schema.get("items", {}), f"{at}[{position}]")

    def _check_object(self, value: dict[str, Any], schema: dict[str, Any], at: str) -> None:
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        missing = set(schema.get("required", ())) - set(value)
        _require(not missing, at, f"{missing} is missing")
        for name in value:
            self.check(name, schema.get("propertyNames", {}), f"{at} the name '{name}'")
        patterns = schema.get("patternProperties", {})
        for name, inner in value.items():
            fitting = [described for pattern, described in patterns.items() if re.search(pattern, name)]
            _require(name in properties or bool(fitting) or more is not False, at, f"'{name}' is not described")
            rest = more if isinstance(more, dict) and not fitting else {}
            for described in (properties.get(name, rest), *fitting):
                self.check(inner, described, f"{at}.{name}")

    def _fits(self, value: Any, schema: dict[str, Any]) -> bool:
        try:
            self.check(value, schema)
        except SchemaMismatch:
            return False
        return True


def _is_of(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)


def _check_bounds(value: Any, schema: dict[str, Any], at: str) -> None:
    if isinstance(value, str):
        _require(re.search(schema.get("pattern", ""), value) is not None, at, f"{value!r} has another form")
    if isinstance(value, int | float):
        fits = schema.get("minimum", value) <= value <= schema.get("maximum", value)
        above = "exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"]
        _require(fits and above, at, f"{value!r} is out of bounds")
    for kind, least, most in ((list, "minItems", "maxItems"), (dict, "minProperties", "maxProperties")):
        if isinstance(value, kind):
            fits = schema.get(least, 0) <= len(value) <= schema.get(most, len(value))
            _require(fits, at, f"it has {len(value)} entries")


def _require(fits: bool, at: str, problem: str) -> None:
    if not fits:
        raise SchemaMismatch(f"{at}: {problem}")
