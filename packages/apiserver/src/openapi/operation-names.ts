// How operations are called and under what they are filed: clients that are generated from the documents make their own names of these.
// Source: facts, vocabulary.json, hazards (names of operations).
import type { GroupVersion, ServedVersion } from "@orch/machinery";
import type { GroupVersionKind, Schema, Vocabulary } from "@orch/schema";

export interface OperationNaming {
  readonly schema: Schema;
  /** The part of a group's published name that carries only the product's name, with its dot. */
  readonly productSuffix: string;
}

/** Every product group ends in it; this one is nothing but its id and the suffix. */
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
