// Escaping of property names that are not CEL identifiers. Source: "Validation rules" in the Kubernetes documentation
// of CustomResourceDefinitions; staging/src/k8s.io/apiserver/pkg/cel/escaping.go.

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

/** Returns the escaped name; undefined for a name that expressions cannot express. */
export function escapedProperty(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  return ESCAPABLE.test(name) ? name.replace(ESCAPED, (part) => SPELT[part] ?? part) : undefined;
}
