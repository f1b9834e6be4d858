// Operations of subresources that show or change a part of the parent object, or act on it.
import { partOf, type Route } from "@orch/request";
import { creating, patching, reading, replacing } from "./item-operations";
import type { Operation } from "./operation";
import { capitalized, type OperationNaming } from "./operation-names";
import { placeOf, placeOfPart } from "./route-place";

export function subresourceOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { version, bodies, verbs } = route;
  const { group, scope } = placeOf(route, naming);
  const place = placeOfPart(route, naming, bodies.type.struct);
  const subject = `${group}${scope}${version.kind}${capitalized(partOf(route) ?? "")}`;

  const operations: Operation[] = [];
  if (verbs.has("get")) operations.push(reading(place, `read${subject}`));
  if (verbs.has("update")) operations.push(replacing(place, `replace${subject}`));
  if (verbs.has("patch")) operations.push(patching(place, `patch${subject}`, naming.schema));
  if (verbs.has("create")) operations.push(creating(place, `create${subject}`));
  return operations;
}
