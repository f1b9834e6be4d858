// Where a route's operations are found and how they are called, as far as all of them share that.
import type { Route } from "../handlers/resource-route";
import type { Placeholder } from "./operation";
import { groupPart, type OperationNaming, pathOf, tagOf } from "./operation-names";

export interface RoutePlace {
  /** Of the group version. */
  readonly root: string;
  readonly document: string;
  readonly tag: string;
  /** Within one namespace, where objects have one. */
  readonly collection: string;
  /** What stands for that namespace in the path. */
  readonly inNamespace: readonly Placeholder[];
  /** `CoreV1`. */
  readonly group: string;
  /** `Namespaced`, or nothing. */
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
