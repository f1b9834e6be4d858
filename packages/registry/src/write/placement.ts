// Checks that the name and namespace of the object in a request match its URL. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/meta.go.

import {
  BAD_REQUEST_TEXT,
  badRequest,
  nameOf,
  namespaceOf,
  type ResourceDefinition,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ObjectKey } from "../contract/operations";

/**
 * Sets the namespace, and the name for a create on a named path.
 * @throws StatusError BadRequest (400)
 */
export function placeNew(definition: ResourceDefinition, object: JsonObject, at: ObjectKey): void {
  placeInNamespace(definition, object, at, BAD_REQUEST_TEXT.namespaceMismatch);
  if (at.name === "") return;
  const name = nameOf(object);
  if (name === "") writableMeta(object)["name"] = at.name;
  else if (name !== at.name) throw badRequest(BAD_REQUEST_TEXT.nameMismatch({ object: name, url: at.name }));
}

/** Checks the name and sets the namespace of an update. @throws StatusError BadRequest (400) */
export function placeNext(definition: ResourceDefinition, object: JsonObject, at: ObjectKey): void {
  const name = nameOf(object);
  if (name === "") throw badRequest(BAD_REQUEST_TEXT.nameUndeterminable(at.name));
  if (name !== at.name) throw badRequest(BAD_REQUEST_TEXT.nameMismatch({ object: name, url: at.name }));
  const namespace = { object: namespaceOf(object), request: at.namespace };
  placeInNamespace(definition, object, at, () => BAD_REQUEST_TEXT.namespaceMismatchOnUpdate(namespace));
}

function placeInNamespace(
  { scope }: ResourceDefinition,
  object: JsonObject,
  at: ObjectKey,
  mismatch: () => string,
): void {
  const meta = writableMeta(object);
  if (scope === "Cluster") {
    delete meta["namespace"];
    return;
  }
  const namespace = namespaceOf(object);
  if (namespace !== "" && namespace !== at.namespace) throw badRequest(mismatch());
  meta["namespace"] = at.namespace;
}
