// Paths and names that the operations of a route share.

import { partOf, type Route } from "@orch/request";
import type { RuntimeType } from "@orch/schema";
import type { Place } from "./item-operations";
import type { Placeholder } from "./operation";
import { groupPart, kindOf, type OperationNaming, pathOf, tagOf, withArticle } from "./operation-names";

export interface RoutePlace {
  /** Path of the group version. */
  readonly root: string;
  readonly document: string;
  readonly tag: string;
  /** Path of the collection, within one namespace for namespaced resources. */
  readonly collection: string;
  /** Path parameters of the namespace. */
  readonly inNamespace: readonly Placeholder[];
  /** `CoreV1`. */
  readonly group: string;
  /** `Namespaced`, or "". */
  readonly scope: string;
}

export function placeOf({ definition, version }: Route, naming: OperationNaming): RoutePlace {
  const namespaced = definition.scope === "Namespaced";
  const root = pathOf(version);
  return {
    root,
    document: root.slice(1),
    tag: tagOf(version, naming),
    collection: `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${definition.plural}`,
    inNamespace: namespaced ? ["namespace"] : [],
    group: groupPart(version, naming),
    scope: namespaced ? "Namespaced" : "",
  };
}

/** Paths and names of a subresource. @param type the type that it shows */
export function placeOfPart(route: Route, naming: OperationNaming, type: RuntimeType): Place {
  const { document, tag, collection, inNamespace } = placeOf(route, naming);
  const part = partOf(route) ?? "";
  return {
    document,
    tag,
    path: `${collection}/{name}/${part}`,
    placeholders: ["name", ...inNamespace],
    kind: kindOf(route.bodies),
    type,
    what: `${withArticle(route.version.kind)}'s ${part}`,
  };
}
