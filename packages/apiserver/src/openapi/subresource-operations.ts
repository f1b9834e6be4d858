// The operations of a sub-resource that shows or changes a part of its parent, or has something done to it.
import type { Route } from "../handlers/resource-route";
import { creating, type Place, patching, reading, replacing } from "./item-operations";
import type { Operation } from "./operation";
import { capitalized, kindOf, type OperationNaming, withArticle } from "./operation-names";
import { placeOf } from "./route-place";

export function subresourceOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { version, bodies, subresource, verbs } = route;
  const { document, tag, collection, inNamespace, group, scope } = placeOf(route, naming);
  const part = subresource?.name ?? "";
  const place: Place = {
    document,
    tag,
    path: `${collection}/{name}/${part}`,
    placeholders: ["name", ...inNamespace],
    kind: kindOf(bodies),
    type: bodies.type.struct,
    what: `${withArticle(version.kind)}'s ${part}`,
  };
  const subject = `${group}${scope}${version.kind}${capitalized(part)}`;

  const operations: Operation[] = [];
  if (verbs.has("get")) operations.push(reading(place, `read${subject}`));
  if (verbs.has("update")) operations.push(replacing(place, `replace${subject}`));
  if (verbs.has("patch")) operations.push(patching(place, `patch${subject}`, naming.schema));
  if (verbs.has("create")) operations.push(creating(place, `create${subject}`));
  return operations;
}
