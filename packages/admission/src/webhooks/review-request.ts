// What a webhook is told of a request, and how it is written. Source: access-control, "AdmissionReview"; facts, admission/webhooks.md
// "Calling".
import { type AdmissionOptions, type AdmissionRequest, metaOf, type Propagation, type UserInfo } from "@orch/machinery";
import { existsIn, type JsonObject, type Vocabulary, writeJson } from "@orch/schema";
import type { BodyParts, ShownAs } from "../matching/request-bodies";
import type { ShownObjects } from "../matching/request-objects";
import { isNamespaces } from "../matching/selectors";
import type { ReviewVersion } from "./review-version";

export interface ReviewSite {
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

/** All but the call's own uid and the objects: the same for all webhooks that see the request by the same version. */
export class ToldRequest {
  private headJson: string | undefined;
  private tailJson: string | undefined;

  /** @param object as it is by now, which has a name by the time that it is judged */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly as: ShownAs,
    private readonly object: JsonObject | undefined,
    private readonly site: ReviewSite,
  ) {}

  /** For expressions. Made anew each time. */
  get fields(): JsonObject {
    const userInfo = userFields(this.request.user);
    return { ...placeFields(this.request, this.as), ...this.askedFields(), userInfo, ...this.endFields() };
  }

  /** JSON, without the brace at its end: what stands before the objects. @param place `placeText` of the request */
  head(place: string): string {
    this.headJson ??= `${place},${membersText(this.askedFields())},"userInfo":${userText(this.request.user)}`;
    return this.headJson;
  }

  /** What stands behind them. */
  get tail(): string {
    this.tailJson ??= membersText(this.endFields());
    return this.tailJson;
  }

  // Fields are set one after the other: to spread what may be absent costs more than all else here.
  private askedFields(): JsonObject {
    const { request } = this;
    const { operation } = request;
    const name = nameOf(request, this.object);
    const namespace = isNamespaces(request) ? name : request.namespace;
    const fields: JsonObject = {};
    if (name !== "") fields["name"] = name;
    if (namespace !== "") fields["namespace"] = namespace;
    fields["operation"] = operation;
    return fields;
  }

  private endFields(): JsonObject {
    const { options, dryRun } = this.request;
    return { dryRun, options: options === undefined ? null : optionsObject(options, dryRun, this.site) };
  }
}

/** Of `placeFields`: the same for all requests of a resource, by a version, for a part, of a kind. */
export const placeText = (request: BodyParts, as: ShownAs): string => membersText(placeFields(request, as));

const membersText = (fields: JsonObject): string => writeJson(fields).slice(1, -1);

/** What is asked for, by which names. */
function placeFields({ definition, version, kind, subresource }: BodyParts, as: ShownAs): JsonObject {
  const resource = (of: { readonly group: string; readonly version: string }): JsonObject => ({
    group: of.group,
    version: of.version,
    resource: definition.plural,
  });
  const { group, version: bodyVersion, kind: bodyKind } = as.body;
  return {
    kind: { group, version: bodyVersion, kind: bodyKind },
    resource: resource(as.version),
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: { group: kind.group, version: kind.version, kind: kind.kind },
    requestResource: resource(version),
    ...(subresource !== "" && { requestSubResource: subresource }),
  };
}

/** Who sends many requests is mostly the same object in all of them. */
const userTexts = new WeakMap<UserInfo, string>();

function userText(user: UserInfo): string {
  let text = userTexts.get(user);
  if (text === undefined) {
    text = writeJson(userFields(user));
    userTexts.set(user, text);
  }
  return text;
}

function userFields({ name, uid, groups, extra = {} }: UserInfo): JsonObject {
  const fields: JsonObject = {};
  if (name !== "") fields["username"] = name;
  if (uid) fields["uid"] = uid;
  if (groups.length > 0) fields["groups"] = [...groups];
  const others = Object.entries(extra);
  if (others.length > 0) fields["extra"] = Object.fromEntries(others.map(([key, values]) => [key, [...values]]));
  return fields;
}

/** "" for what has none yet, and for each object of a collection that is deleted. */
function nameOf({ operation, name, pathName }: AdmissionRequest, object: JsonObject | undefined): string {
  if (operation === "DELETE") return pathName;
  return name !== "" || object === undefined ? name : (metaOf(object).name ?? "");
}

const FIELD_VALIDATION = { since: "1.23" };

function optionsObject(options: AdmissionOptions, dryRun: boolean, { vocabulary, release }: ReviewSite): JsonObject {
  const fields: JsonObject = { kind: options.kind, apiVersion: `${vocabulary.groups.meta}/v1` };
  switch (options.kind) {
    case "CreateOptions":
    case "UpdateOptions": {
      const { fieldManager, fieldValidation } = options;
      if (dryRun) fields["dryRun"] = ["All"];
      if (fieldManager !== "") fields["fieldManager"] = fieldManager;
      if (fieldValidation !== "Warn" && existsIn(FIELD_VALIDATION, release))
        fields["fieldValidation"] = fieldValidation;
      return fields;
    }
    case "DeleteOptions": {
      const { gracePeriodSeconds, preconditions = {}, propagation } = options;
      return {
        ...fields,
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        ...(Object.keys(preconditions).length > 0 && { preconditions: { ...preconditions } }),
        ...(propagation !== undefined && propagationFields(propagation)),
        ...(dryRun && { dryRun: ["All"] }),
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
  { told, place }: { readonly told: ToldRequest; readonly place: string },
  { objectJson, oldObjectJson }: ShownObjects,
  { vocabulary }: Pick<ReviewSite, "vocabulary">,
): Buffer {
  const apiVersion = `${vocabulary.groups.admission}/${version}`;
  const before = `{"kind":"AdmissionReview","apiVersion":"${apiVersion}","request":{"uid":"${uid}",${told.head(place)},"object":`;
  const after = `,${told.tail}}}`;
  const length =
    Buffer.byteLength(before) + objectJson.length + BETWEEN.length + oldObjectJson.length + Buffer.byteLength(after);
  const body = Buffer.allocUnsafe(length);
  let at = body.write(before);
  for (const piece of [objectJson, BETWEEN, oldObjectJson]) {
    body.set(piece, at);
    at += piece.length;
  }
  body.write(after, at);
  return body;
}

const BETWEEN = Buffer.from(',"oldObject":');
