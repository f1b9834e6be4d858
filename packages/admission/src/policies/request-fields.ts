// What expressions know of a request as `request`: the fields of a review, without the objects. Those that are empty are absent.
// Source: the field's AdmissionRequest.
import { type AdmissionOptions, type AdmissionRequest, metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ShownAs } from "../matching/request-bodies";
import { isNamespaces } from "../matching/selectors";

export function requestFields(
  request: AdmissionRequest,
  as: ShownAs,
  object: JsonObject | undefined,
  { vocabulary }: { readonly vocabulary: Vocabulary },
): JsonObject {
  const { definition, version, kind, subresource, operation, dryRun, user, options } = request;
  const name = nameOf(request, object);
  const namespace = isNamespaces(request) ? name : request.namespace;
  const resource = (of: { readonly group: string; readonly version: string }): JsonObject => ({
    group: of.group,
    version: of.version,
    resource: definition.plural,
  });
  return {
    kind: { group: as.body.group, version: as.body.version, kind: as.body.kind },
    resource: resource(as.version),
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: { group: kind.group, version: kind.version, kind: kind.kind },
    requestResource: resource(version),
    ...(subresource !== "" && { requestSubResource: subresource }),
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: {
      ...(user.name !== "" && { username: user.name }),
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 && { groups: [...user.groups] }),
      ...(user.extra !== undefined && {
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      }),
    },
    dryRun,
    ...(options !== undefined && { options: optionsObject(options, dryRun, vocabulary) }),
  };
}

function nameOf({ name }: AdmissionRequest, object: JsonObject | undefined): string {
  return name !== "" || object === undefined ? name : (metaOf(object).name ?? "");
}

function optionsObject(options: AdmissionOptions, dryRun: boolean, { groups }: Vocabulary): JsonObject {
  const head = { kind: options.kind, apiVersion: `${groups.meta}/v1`, ...(dryRun && { dryRun: ["All"] }) };
  switch (options.kind) {
    case "CreateOptions":
    case "UpdateOptions": {
      const { fieldManager, fieldValidation } = options;
      return { ...head, ...(fieldManager !== "" && { fieldManager }), fieldValidation };
    }
    case "DeleteOptions": {
      const { gracePeriodSeconds, preconditions = {}, propagation } = options;
      return {
        ...head,
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        ...(Object.keys(preconditions).length > 0 && { preconditions: { ...preconditions } }),
        ...(propagation?.kind === "policy" && { propagationPolicy: propagation.policy }),
        ...(propagation?.kind === "orphanDependents" && { orphanDependents: propagation.orphan }),
      };
    }
  }
}
