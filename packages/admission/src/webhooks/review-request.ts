// What a webhook is told of a request, and how it is written. Source: access-control, "AdmissionReview"; facts, admission/webhooks.md
// "Calling".
import { type AdmissionOptions, type AdmissionRequest, metaOf, type Propagation } from "@orch/machinery";
import { existsIn, type JsonObject, type Vocabulary, writeJson } from "@orch/schema";
import type { ShownAs } from "../matching/request-bodies";
import type { ShownObjects } from "../matching/request-objects";
import { isNamespaces } from "../matching/selectors";
import type { ReviewVersion } from "./review-version";

export interface ReviewSite {
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

/** All but the call's own uid and the objects: the same for all webhooks that see the request by the same version. Written when asked for. */
export interface ToldRequest {
  /** For expressions. Made anew each time. */
  readonly fields: JsonObject;
  /** JSON, without the brace at its end: what stands before the objects. */
  readonly head: string;
  /** What stands behind them. */
  readonly tail: string;
}

/** @param object as it is by now, which has a name by the time that it is judged */
export function toldRequest(
  request: AdmissionRequest,
  as: ShownAs,
  object: JsonObject | undefined,
  site: ReviewSite,
): ToldRequest {
  const { definition, version, kind, subresource, operation, dryRun, user } = request;
  const name = nameOf(request, object);
  const namespace = isNamespaces(request) ? name : request.namespace;
  const resource = (of: { readonly group: string; readonly version: string }): JsonObject => ({
    group: of.group,
    version: of.version,
    resource: definition.plural,
  });
  const { group: bodyGroup, version: bodyVersion, kind: bodyKind } = as.body;
  const head: JsonObject = {
    kind: { group: bodyGroup, version: bodyVersion, kind: bodyKind },
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
      ...(user.extra !== undefined &&
        Object.keys(user.extra).length > 0 && {
          extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
        }),
    },
  };
  const { options } = request;
  const tail: JsonObject = { dryRun, options: options === undefined ? null : optionsObject(options, dryRun, site) };
  let headJson: string | undefined;
  let tailJson: string | undefined;
  return {
    get fields() {
      return { ...head, ...tail };
    },
    get head() {
      headJson ??= writeJson(head).slice(1, -1);
      return headJson;
    },
    get tail() {
      tailJson ??= writeJson(tail).slice(1, -1);
      return tailJson;
    },
  };
}

/** "" for what has none yet, and for each object of a collection that is deleted. */
function nameOf({ operation, name, pathName }: AdmissionRequest, object: JsonObject | undefined): string {
  if (operation === "DELETE") return pathName;
  return name !== "" || object === undefined ? name : (metaOf(object).name ?? "");
}

const FIELD_VALIDATION = { since: "1.23" };

function optionsObject(options: AdmissionOptions, dryRun: boolean, { vocabulary, release }: ReviewSite): JsonObject {
  const type = { kind: options.kind, apiVersion: `${vocabulary.groups.meta}/v1` };
  const dry = dryRun && { dryRun: ["All"] };
  switch (options.kind) {
    case "CreateOptions":
    case "UpdateOptions": {
      const { fieldManager, fieldValidation } = options;
      return {
        ...type,
        ...dry,
        ...(fieldManager !== "" && { fieldManager }),
        ...(fieldValidation !== "Warn" && existsIn(FIELD_VALIDATION, release) && { fieldValidation }),
      };
    }
    case "DeleteOptions": {
      const { gracePeriodSeconds, preconditions = {}, propagation } = options;
      return {
        ...type,
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        ...(Object.keys(preconditions).length > 0 && { preconditions: { ...preconditions } }),
        ...(propagation !== undefined && propagationFields(propagation)),
        ...dry,
      };
    }
  }
}

function propagationFields(propagation: Propagation): JsonObject {
  switch (propagation.kind) {
    case "default":
      return {};
    case "policy":
      return { propagationPolicy: propagation.policy };
    case "orphanDependents":
      return { orphanDependents: propagation.orphan };
  }
}

export function reviewBody(
  { version, uid }: { readonly version: ReviewVersion; readonly uid: string },
  { head, tail }: ToldRequest,
  { objectJson, oldObjectJson }: ShownObjects,
  { vocabulary }: Pick<ReviewSite, "vocabulary">,
): Buffer {
  const apiVersion = `${vocabulary.groups.admission}/${version}`;
  const start = `{"kind":"AdmissionReview","apiVersion":"${apiVersion}","request":{"uid":"${uid}",${head},"object":`;
  return Buffer.concat([
    Buffer.from(start),
    objectJson,
    Buffer.from(',"oldObject":'),
    oldObjectJson,
    Buffer.from(`,${tail}}}`),
  ]);
}
