// Operation ids and tags. Client generators derive method names from them. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/openapi/openapi.go.
import type { GroupVersion, ServedVersion } from "@orch/machinery";
import type { GroupVersionKind, Schema, Vocabulary } from "@orch/schema";

export interface OperationNaming {
  readonly schema: Schema;
  /** Suffix of group names with the product's name, including its dot. */
  readonly productSuffix: string;
}

/**
 * Returns the common suffix of the product's groups. The product's own group consists only of its id and this suffix.
 */
export function productSuffix(vocabulary: Vocabulary): string {
  return vocabulary.groups.apidiscovery.slice("apidiscovery".length);
}

export function pathOf({ group, version }: GroupVersion): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

export const kindOf = ({ group, version, kind }: ServedVersion): GroupVersionKind => ({ group, version, kind });

/** `core_v1`, `rbacAuthorization_v1`. */
export function tagOf({ group, version }: GroupVersion, { productSuffix }: OperationNaming): string {
  return `${joined(groupWords(group, productSuffix))}_${version}`;
}

/** `CoreV1`, `RbacAuthorizationV1`. */
export function groupPart({ group, version }: GroupVersion, { productSuffix }: OperationNaming): string {
  return groupWords(group, productSuffix).map(capitalized).join("") + capitalized(version);
}

export function groupWords(group: string, suffix: string): readonly string[] {
  if (group === "") return ["core"];
  return (group.endsWith(suffix) ? group.slice(0, -suffix.length) : group).split(/[.-]/);
}

/** `rbacAuthorization`. */
export const joined = (words: readonly string[]) =>
  words.map((word, at) => (at === 0 ? word : capitalized(word))).join("");

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** "a Pod", "an Ingress". */
export const withArticle = (noun: string) => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
