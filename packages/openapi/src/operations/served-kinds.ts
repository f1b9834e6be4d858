// The kinds of a type. Clients find the model of an object by its group, version and kind.

import { type Route, revisionListKind } from "@orch/request";
import type { GroupVersionKind, Schema, StructType } from "@orch/schema";
import { revisionListType } from "./answer-types";
import { listTypeOf } from "./list-type";
import { pathOf } from "./operation-names";

/** Request and answer types without a group version of their own that are a kind in every served group version. */
const IN_EVERY_VERSION: ReadonlySet<string> = new Set(["DeleteOptions", "WatchEvent"]);
/** Answer types without a group version of their own that are kinds of the core group only. */
const IN_CORE: ReadonlySet<string> = new Set(["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"]);
const META = "meta/v1";

export function servedKinds(schema: Schema, routes: readonly Route[]): (struct: StructType) => GroupVersionKind[] {
  const kinds = new Map<string, Map<string, GroupVersionKind>>();
  const add = (struct: StructType | undefined, { group, version, kind }: GroupVersionKind) => {
    if (struct === undefined) return;
    const known = kinds.get(struct.name) ?? new Map<string, GroupVersionKind>();
    kinds.set(struct.name, known.set(`${group}/${version}/${kind}`, { group, version, kind }));
  };
  for (const route of routes) {
    const { definition, version, bodies } = route;
    if (route.history?.part === "history" && route.history.isListed)
      add(revisionListType(schema), revisionListKind(schema.vocabulary));
    add(version.type.struct, version);
    add(bodies.type.struct, bodies);
    const list = { group: version.group, version: version.version, kind: definition.listKind };
    if (definition.verbs.includes("list")) add(listTypeOf(route, schema), list);
    for (const kind of IN_EVERY_VERSION) {
      add(schema.objectType(version.group, version.version, kind)?.struct, { ...version, kind });
    }
  }
  for (const kind of IN_CORE) {
    const type = schema.type(META, kind);
    if (type?.kind === "struct") add(type, { group: "", version: "v1", kind });
  }
  return (struct) => [...(kinds.get(struct.name)?.entries() ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(last);
}

/**
 * Kinds within the document of one group version, which other group versions do not affect.
 * @param document such as `apis/apps/v1`
 */
export const kindsWithin =
  (kindsOf: (struct: StructType) => readonly GroupVersionKind[], document: string): typeof kindsOf =>
  (struct) =>
    kindsOf(struct).filter((each) => !IN_EVERY_VERSION.has(each.kind) || pathOf(each) === `/${document}`);

const last = ([, kind]: readonly [string, GroupVersionKind]) => kind;
