// Warnings about deprecated labels of nodes. Source: Kubernetes documentation, "Well-Known Labels, Annotations and
// Taints".
import { labelValueErrors } from "@orch/machinery";
import type { JsonObject, JsonValue, Vocabulary } from "@orch/schema";
import type { WarningList } from "../model/warning-list";
import { objectsAt } from "../values/field-path";

/** Adds warnings about the keys of a node selector term. @param at path of the term */
export function warnOfTerm(
  term: JsonObject,
  { at, checksValues }: { readonly at: string; readonly checksValues?: boolean },
  list: WarningList,
): void {
  for (const [position, { key, values }] of objectsAt(term, "matchExpressions").entries()) {
    const place = `${at}.matchExpressions[${position}]`;
    warnOfLabel(key, `${place}.key`, list);
    if (checksValues !== true || !Array.isArray(values) || !list.since("1.27")) continue;
    for (const [index, value] of values.entries()) {
      if (typeof value !== "string") continue;
      for (const flaw of labelValueErrors(value)) list.add(`${place}.values[${index}]`, `${value} is invalid, ${flaw}`);
    }
  }
}

/** Adds a warning when a value is the key of a deprecated label. */
export function warnOfLabel(key: JsonValue | undefined, at: string, list: WarningList): void {
  const notice = deprecationOf(key, list.vocabulary);
  if (notice !== undefined) list.add(at, `${String(key)} is ${notice}`);
}

/** Adds a warning when a value is the key of a deprecated label, without its name. */
export function warnOfPlainLabel(key: JsonValue | undefined, at: string, list: WarningList): void {
  const notice = deprecationOf(key, list.vocabulary);
  if (notice !== undefined) list.add(at, notice);
}

/** Adds warnings about the keys of a map of labels. @param at path of the map, or of the entry of a key */
export function warnOfLabels(labels: JsonObject, at: (key: string) => string, list: WarningList): void {
  for (const key in labels) {
    const notice = deprecationOf(key, list.vocabulary);
    if (notice !== undefined) list.add(at(key), notice);
  }
}

function deprecationOf(key: JsonValue | undefined, vocabulary: Vocabulary): string | undefined {
  if (typeof key !== "string") return undefined;
  const { labels, taints } = vocabulary;
  switch (key) {
    case labels.betaArch:
      return `deprecated since v1.14; use ${JSON.stringify(labels.arch)} instead`;
    case labels.betaOs:
      return `deprecated since v1.14; use ${JSON.stringify(labels.os)} instead`;
    case labels.failureDomainBetaRegion:
      return `deprecated since v1.17; use ${JSON.stringify(labels.topologyRegion)} instead`;
    case labels.failureDomainBetaZone:
      return `deprecated since v1.17; use ${JSON.stringify(labels.topologyZone)} instead`;
    case labels.betaInstanceType:
      return `deprecated since v1.17; use ${JSON.stringify(labels.nodeInstanceType)} instead`;
    case taints.nodeRoleMaster:
      return `use ${JSON.stringify(taints.nodeRoleControlPlane)} instead`;
    default:
      return undefined;
  }
}
