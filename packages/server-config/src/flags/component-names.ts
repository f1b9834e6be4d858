// Names of this component in options that several components share, such as `--feature-gates=kube:A=true` and
// `--emulated-version=kube=1.35`. Source: KEP-4330, "Compatibility Versions in Kubernetes".
import { VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";

/** Names of the component, as in the names of the server's program. */
export const COMPONENT_NAMES: readonly string[] = VOCABULARY_NAMES.map((name) =>
  vocabularyOf(name).programs.apiserver.replace(/-apiserver$/, ""),
);

/**
 * Splits `component<separator>value`.
 * @returns component: undefined when the text names none
 */
export function splitComponent(
  text: string,
  separator: ":" | "=",
): { readonly component: string | undefined; readonly value: string } {
  const at = text.indexOf(separator);
  if (at < 0) return { component: undefined, value: text.trim() };
  return { component: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}

export const isOwnComponent = (component: string | undefined): boolean =>
  component === undefined || COMPONENT_NAMES.includes(component);
