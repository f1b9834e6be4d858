// How an expression spells a property whose name is no identifier of the language. Source: the field's escaping of property names.

const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const ESCAPABLE = /^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/;
const ESCAPED = /__|[.\-/]/g;
const SPELT: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Undefined for a name that no expression can spell. */
export function escapedProperty(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  return ESCAPABLE.test(name) ? name.replace(ESCAPED, (part) => SPELT[part] ?? part) : undefined;
}
