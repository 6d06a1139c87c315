"""What the node types of each grammar mean for a cut: tables, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strategies.source_code.syntax import ProgrammingLanguage


@dataclass(frozen=True, slots=True)
class Grammar:
    """Node types of one grammar, by what they mean for a cut."""

    bodies: frozenset[str]
    """Their named children stand one after the other: statements, members, cases."""
    definitions: frozenset[str]
    """Open a scope: functions, classes, namespaces and what is like them."""
    leads: frozenset[str]
    """Stay with what follows: comments, attributes."""
    imports: frozenset[str]
    """Stay with what follows where that fits."""
    wrappers: Mapping[str, str] = field(default_factory=dict)
    """May hold a definition: node type -> the field to look into, or `first`, `last` or `only` for a
    named child."""
    named_by: Mapping[str, str] = field(default_factory=dict)
    """Wrappers that give a name to what they hold: node type -> the field of the name."""
    values: frozenset[str] = frozenset()
    """Definitions where a wrapper names them: functions and classes that are values."""
    with_body: frozenset[str] = frozenset()
    """Definitions where they have a field `body`; else they only mention a type."""
    docstrings: bool = False
    """Whether a string that stands first in a body explains what the body is of."""


def _types(*words: str) -> frozenset[str]:
    return frozenset(" ".join(words).split())


_PYTHON = Grammar(
    bodies=_types("module block"),
    definitions=_types("class_definition function_definition"),
    leads=_types("comment"),
    imports=_types("import_statement import_from_statement future_import_statement"),
    wrappers={"decorated_definition": "definition"},
    docstrings=True,
)

_SCRIPT_WRAPPERS = {
    **dict.fromkeys(("expression_statement", "ambient_declaration"), "first"),
    **dict.fromkeys(("lexical_declaration", "variable_declaration"), "only"),
    **dict.fromkeys(("variable_declarator", "pair", "field_definition", "public_field_definition"), "value"),
    "assignment_expression": "right",
    # `export default function` has the function as its value, other exports as their declaration.
    "export_statement": "last",
}
_SCRIPT_NAMES = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
    "field_definition": "property",
    "public_field_definition": "name",
}
_JAVASCRIPT = Grammar(
    bodies=_types("program statement_block class_body switch_body switch_case switch_default"),
    definitions=_types(
        "function_declaration generator_function_declaration class_declaration method_definition"
    ),
    leads=_types("comment decorator hash_bang_line html_comment"),
    imports=_types("import_statement"),
    wrappers=_SCRIPT_WRAPPERS,
    named_by=_SCRIPT_NAMES,
    values=_types("arrow_function function_expression generator_function class"),
)
_TYPESCRIPT = Grammar(
    bodies=_JAVASCRIPT.bodies | _types("interface_body enum_body"),
    definitions=_JAVASCRIPT.definitions
    | _types("abstract_class_declaration interface_declaration enum_declaration module internal_module"),
    leads=_JAVASCRIPT.leads,
    imports=_JAVASCRIPT.imports,
    wrappers=_SCRIPT_WRAPPERS,
    named_by=_SCRIPT_NAMES,
    values=_JAVASCRIPT.values,
)

_JAVA = Grammar(
    bodies=_types(
        "program class_body interface_body annotation_type_body enum_body enum_body_declarations",
        "block constructor_body switch_block switch_block_statement_group",
    ),
    definitions=_types(
        "class_declaration interface_declaration enum_declaration record_declaration",
        "annotation_type_declaration method_declaration constructor_declaration",
        "compact_constructor_declaration",
    ),
    leads=_types("line_comment block_comment switch_label"),
    imports=_types("import_declaration package_declaration"),
)

_GO = Grammar(
    bodies=_types("source_file statement_list field_declaration_list"),
    definitions=_types("function_declaration method_declaration type_spec"),
    leads=_types("comment"),
    imports=_types("import_declaration package_clause"),
    wrappers={"type_declaration": "only"},
)

_RUST = Grammar(
    bodies=_types("source_file declaration_list block match_block field_declaration_list enum_variant_list"),
    definitions=_types(
        "function_item struct_item enum_item union_item trait_item impl_item mod_item macro_definition"
    ),
    leads=_types("line_comment block_comment attribute_item inner_attribute_item shebang"),
    imports=_types("use_declaration extern_crate_declaration"),
)

_C_BODIES = _types(
    "translation_unit compound_statement case_statement field_declaration_list",
    "preproc_if preproc_ifdef preproc_elif preproc_elifdef preproc_else",
)
_C_DEFINITIONS = _types("function_definition struct_specifier union_specifier enum_specifier")
_C_IMPORTS = _types("preproc_include")
_C_WRAPPERS = dict.fromkeys(("type_definition", "declaration", "field_declaration"), "type")
_C = Grammar(
    bodies=_C_BODIES,
    definitions=_C_DEFINITIONS,
    leads=_types("comment"),
    imports=_C_IMPORTS,
    wrappers=_C_WRAPPERS,
    with_body=_types("struct_specifier union_specifier enum_specifier"),
)
_CPP = Grammar(
    bodies=_C_BODIES | _types("declaration_list"),
    definitions=_C_DEFINITIONS | _types("class_specifier namespace_definition"),
    leads=_types("comment access_specifier"),
    imports=_C_IMPORTS | _types("using_declaration"),
    wrappers={**_C_WRAPPERS, "template_declaration": "last"},
    with_body=_C.with_body | _types("class_specifier"),
)

_CSHARP = Grammar(
    bodies=_types(
        "compilation_unit declaration_list block switch_body accessor_list enum_member_declaration_list",
        "preproc_if preproc_elif preproc_else",
    ),
    definitions=_types(
        "namespace_declaration class_declaration struct_declaration interface_declaration enum_declaration",
        "record_declaration method_declaration constructor_declaration destructor_declaration",
        "operator_declaration conversion_operator_declaration indexer_declaration property_declaration",
        "event_declaration local_function_statement",
    ),
    leads=_types("comment global_attribute preproc_region preproc_nullable preproc_pragma shebang_directive"),
    imports=_types("using_directive extern_alias_directive file_scoped_namespace_declaration"),
    wrappers={"global_statement": "first"},
)

GRAMMARS: Mapping[ProgrammingLanguage, Grammar] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": _JAVA,
    "go": _GO,
    "rust": _RUST,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
}
"""The tables of every language that can be parsed."""
