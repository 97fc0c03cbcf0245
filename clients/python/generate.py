"""
Writes parley/models.py, the records of the API as types, from the documents of a server:
`python3 generate.py http://localhost:3000`. With `--check` it only tells whether they are those of the server.
"""

from __future__ import annotations

import json
import keyword
import sys
import urllib.request
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "parley" / "models.py"
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_HEAD = '''"""The records of the API, as types. Written by generate.py; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''

Schema = dict[str, Any]


class Models:
    """Types of Python for schemas; an object within another one gets a name made of both."""

    def __init__(self, components: dict[str, Schema]) -> None:
        self._components = components
        self._written: dict[str, str] = {}

    def text(self) -> str:
        for name, schema in sorted(self._components.items()):
            self._declare(_class_name(name), schema)
        return "\n\n".join(self._written[name] for name in sorted(self._written))

    def _declare(self, name: str, schema: Schema) -> None:
        merged = self._merged(schema)
        if "properties" in merged:
            self._declare_object(name, merged)
        else:
            alias = self._type(merged, name)
            self._written[name] = f"{name}: TypeAlias = {json.dumps(alias, ensure_ascii=False)}"

    def _declare_object(self, name: str, schema: Schema) -> None:
        if name in self._written:
            return
        self._written[name] = ""  # It may contain itself.
        required = set(schema.get("required", []))
        fields = {
            field: self._field(name, field, part, field in required) for field, part in schema["properties"].items()
        }
        if all(field.isidentifier() and not keyword.iskeyword(field) for field in fields):
            lines = [f"    {field}: {kind}" for field, kind in fields.items()] or ["    pass"]
            self._written[name] = "\n".join([f"class {name}(TypedDict):", *lines])
        else:
            pairs = ", ".join(f"{field!r}: {json.dumps(kind, ensure_ascii=False)}" for field, kind in fields.items())
            self._written[name] = f"{name} = TypedDict({name!r}, {{{pairs}}})"

    def _field(self, owner: str, field: str, schema: Any, is_required: bool) -> str:
        kind = self._type(schema, owner + _class_name(field))
        return kind if is_required else f"NotRequired[{kind}]"

    def _type(self, schema: Any, name: str) -> str:
        if not isinstance(schema, dict):
            return "Any"
        if "$ref" in schema:
            return _class_name(schema["$ref"].rsplit("/", 1)[-1])
        if "const" in schema:
            return _literal([schema["const"]])
        if "enum" in schema:
            return _literal(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self._union(schema[key], name)
        if "allOf" in schema:
            return self._type(self._merged(schema), name)
        return self._plain(schema, name)

    def _plain(self, schema: Schema, name: str) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            return _joined([self._plain({**schema, "type": one}, name) for one in kind])
        if kind == "array":
            return f"list[{self._type(schema.get('items'), name + 'Item')}]"
        if schema.get("properties"):
            self._declare_object(name, schema)
            return name
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self._type(values, name + 'Value')}]"
        return _SCALARS.get(str(kind), "Any")

    def _union(self, schemas: list[Any], name: str) -> str:
        objects = [one for one in schemas if isinstance(one, dict) and "properties" in self._merged(one)]
        kinds = []
        for one in schemas:
            is_one_of_several = one in objects and len(objects) > 1 and "$ref" not in one
            kinds.append(self._type(one, name + str(objects.index(one) + 1) if is_one_of_several else name))
        return _joined(kinds)

    def _merged(self, schema: Schema) -> Schema:
        """An object that is said in parts, as one."""
        if "allOf" not in schema:
            return schema
        whole: Schema = {**schema, "properties": dict(schema.get("properties", {})), "required": []}
        del whole["allOf"]
        for part in schema["allOf"]:
            known = self._components[part["$ref"].rsplit("/", 1)[-1]] if "$ref" in part else part
            flat = self._merged(known)
            whole["properties"].update(flat.get("properties", {}))
            whole["required"] += flat.get("required", [])
        return whole


def _class_name(name: str) -> str:
    words = "".join(sign if sign.isalnum() else " " for sign in name).split()
    joined = "".join(word[:1].upper() + word[1:] for word in words)
    return f"T{joined}" if not joined[:1].isalpha() else joined


def _literal(values: list[Any]) -> str:
    said = [value for value in values if value is not None]
    kinds = ["None"] if len(said) < len(values) else []
    if any(isinstance(value, float) for value in said):
        return _joined(["float", *kinds])
    return _joined([f"Literal[{', '.join(map(repr, said))}]" if said else "None", *kinds])


def _joined(kinds: list[str]) -> str:
    return "Any" if "Any" in kinds else " | ".join(dict.fromkeys(kinds))


def _own_events(document: Schema) -> str:
    messages = document["components"]["messages"]
    names = sorted(messages[key]["name"] for key in document["channels"]["user"]["messages"])
    lines = "\n".join(f"        {json.dumps(name)}," for name in names)
    return f"#: The events of one's own room; the others are a channel's.\nOWN_EVENTS = frozenset(\n    {{\n{lines}\n    }}\n)"


def models_from(url: str) -> str:
    """The text of parley/models.py for a server."""

    def get(path: str) -> Schema:
        with urllib.request.urlopen(url.rstrip("/") + path) as response:
            return json.load(response)

    models = Models(get("/api/openapi.json")["components"]["schemas"])
    return f"{_HEAD}\n{_own_events(get('/api/asyncapi.json'))}\n\n\n{models.text()}\n"


def main(arguments: list[str]) -> int:
    text = models_from(next(argument for argument in arguments if argument != "--check"))
    if "--check" not in arguments:
        TARGET.write_text(text)
        return 0
    is_current = TARGET.exists() and TARGET.read_text() == text
    if not is_current:
        print("parley/models.py is not what this server's documents say; run generate.py.")
    return 0 if is_current else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
