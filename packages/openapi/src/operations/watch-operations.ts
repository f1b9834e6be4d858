// Watches under paths of their own, from before there was a parameter for them: of everything, of a collection, of one object.
import type { Route } from "@orch/request";
import { type Place, reading } from "./item-operations";
import { knownType, META } from "./meta-types";
import type { Operation } from "./operation";
import { kindOf, type OperationNaming, pathOf, withArticle } from "./operation-names";
import { LIST_PARAMETERS, listParametersOf } from "./operation-parameters";
import { placeOf } from "./route-place";

export function watchOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { definition, version, verbs } = route;
  if (!verbs.has("watch")) return [];
  const { document, tag, collection, inNamespace, group, scope } = placeOf(route, naming);
  const type = knownType(naming.schema, META, "WatchEvent");
  const shared = { document, tag, kind: kindOf(version), type, what: withArticle(version.kind) };
  const root = `${pathOf(version)}/watch`;
  const path = root + collection.slice(pathOf(version).length);
  const all = { ...shared, path, placeholders: inNamespace };
  const one = { ...shared, path: `${path}/{name}`, placeholders: ["name", ...inNamespace] as const };
  const everywhere = { ...shared, path: `${root}/${definition.plural}`, placeholders: [] };
  const subject = `${group}${scope}${version.kind}`;
  return [
    watching(all, "watchlist", `watch${subject}List`),
    ...(verbs.has("get") ? [watching(one, "watch", `watch${subject}`)] : []),
    ...(scope === "" ? [] : [watching(everywhere, "watchlist", `watch${group}${version.kind}ListForAllNamespaces`)]),
  ];
}

function watching(place: Place, action: "watch" | "watchlist", operationId: string): Operation {
  const { kind } = place;
  const objects = action === "watch" ? `one object of kind ${kind.kind}` : `objects of kind ${kind.kind}`;
  return {
    ...reading(place, operationId, action === "watchlist" ? listParametersOf(kind) : LIST_PARAMETERS),
    summary: `Watches ${objects}. Equivalent to a list with the parameter watch.`,
    marks: { action, kind },
    deprecated: true,
    answersIn: "streams",
  };
}
