"""Checks values against JSON Schema, as far as the API's description uses it; anything else in a schema is an error."""

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
_IGNORED = {"title", "description", "default", "contentEncoding", "discriminator"}
_KNOWN = _IGNORED | {
    "$ref", "type", "enum", "const", "anyOf", "items", "properties", "required", "additionalProperties", "minLength",
    "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum",
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
            self.check(value, self._schemas[schema["$ref"].removeprefix("#/components/schemas/")], at)
        if "anyOf" in schema:
            _require(any(self._fits(value, one) for one in schema["anyOf"]), at, f"{value!r} fits none of several")
        if "type" in schema:
            fits = isinstance(value, _TYPES[schema["type"]]) and (schema["type"] == "boolean") == isinstance(
                value, bool
            )
            _require(fits, at, f"{value!r} is not {schema['type']}")
        _require(value in schema.get("enum", [value]), at, f"{value!r} is not one of {schema.get('enum')}")
        _require(value == schema.get("const", value), at, f"{value!r} is not {schema.get('const')}")
        if isinstance(value, dict):
            self._check_object(value, schema, at)
        if isinstance(value, list):
            for position, inner in enumerate(value):
                self.check(inner, schema.get("items", {}), f"{at}[{position}]")

    def _check_object(self, value: dict[str, Any], schema: dict[str, Any], at: str) -> None:
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        missing = set(schema.get("required", ())) - set(value)
        _require(not missing, at, f"{missing} is missing")
        for name, inner in value.items():
            _require(name in properties or more is not False, at, f"'{name}' is not described")
            described = properties.get(name, more if isinstance(more, dict) else {})
            self.check(inner, described, f"{at}.{name}")

    def _fits(self, value: Any, schema: dict[str, Any]) -> bool:
        try:
            self.check(value, schema)
        except SchemaMismatch:
            return False
        return True


def _require(fits: bool, at: str, problem: str) -> None:
    if not fits:
        raise SchemaMismatch(f"{at}: {problem}")
