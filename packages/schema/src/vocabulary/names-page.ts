// Builds docs/names.md: the names of both vocabularies side by side.
import { VOCABULARY_NAMES, type Vocabulary, vocabularyOf } from "./vocabulary";

type Kind = Exclude<keyof Vocabulary, "name">;

/** Kinds of names that users and their files contain, in the order of the page. */
const SECTIONS: readonly (readonly [kind: Kind, heading: string])[] = [
  ["groups", "API groups, of objects and of configuration files"],
  ["namespaces", "Namespaces"],
  ["objectNames", "Objects of every cluster"],
  ["labels", "Labels"],
  ["annotations", "Annotations"],
  ["auditAnnotations", "Annotations of audit events"],
  ["finalizers", "Finalizers"],
  ["taints", "Taints"],
  ["conditionTypes", "Types of conditions"],
  ["secretTypes", "Types of Secrets"],
  ["resourceNames", "Resources"],
  ["signers", "Signers of certificates"],
  ["users", "Users"],
  ["userGroups", "Groups of users"],
  ["rbacNames", "Roles and bindings"],
  ["flowSchemas", "Flow schemas"],
  ["jwtClaims", "Claims of tokens"],
  ["userExtraKeys", "Extra keys of users"],
  ["mediaTypes", "Media types"],
  ["headers", "Headers"],
  ["subprotocols", "Subprotocols of connections"],
  ["schemaExtensions", "Extensions of schemas"],
  ["schemaFormats", "Formats of schemas"],
  ["dnsNames", "DNS names"],
  ["healthChecks", "Health checks"],
  ["metricsNames", "Metrics"],
  ["programs", "Programs"],
  ["flags", "Flags"],
  ["environment", "Environment variables"],
  ["hostPaths", "Paths"],
  ["mountPaths", "Paths in containers"],
];

const OPENING = `# Names in both vocabularies

A server speaks one vocabulary: \`orch\`, or with \`--vocabulary kubernetes\` the one that kubectl and the client libraries of Kubernetes require.
A store keeps the vocabulary that it was first used with. The other pages write the names of \`kubernetes\`; this page lists both.

Objects, requests and headers use the names of the server's vocabulary. A name of the other vocabulary has no meaning to the server: such an
annotation is stored, and has no effect. Configuration files that flags name, and policy lines, may use the API groups of either vocabulary. Flags are
accepted in either spelling.
`;

export function namesPage(): string {
  const [first, second] = VOCABULARY_NAMES.map(vocabularyOf) as [Vocabulary, Vocabulary];
  const sections = SECTIONS.map(([kind, heading]) => {
    const other: Readonly<Record<string, string>> = second[kind];
    const names = Object.entries<string>(first[kind]).map(([id, name]) => [`\`${name}\``, `\`${other[id]}\``] as const);
    return `## ${heading}\n\n${table([[first.name, second.name], ...names])}`;
  });
  return [OPENING, ...sections].join("\n");
}

/** Returns a table with aligned columns, as the formatter of the repository writes one; the first row is its head. */
function table(rows: readonly (readonly [string, string])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |\n`;
  const [head = "", ...names] = rows.map((row) => line(row, " "));
  return [head, line(["", ""], "-"), ...new Set(names)].join("");
}
