// Builds the AdmissionReview request for a webhook. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.

import { type AdmissionOptions, type AdmissionRequest, metaOf, type Propagation, type UserInfo } from "@orch/machinery";
import { existsIn, type JsonObject, type Vocabulary, writeJson } from "@orch/schema";
import type { BodyParts, MatchedVersion } from "./request-bodies";
import type { VersionedObjects } from "./request-objects";
import { isNamespaces } from "./selectors";

/** Supported version of AdmissionReview. */
export type ReviewVersion = keyof typeof KNOWN;

const KNOWN = { v1: { since: "1.16" }, v1beta1: {} } as const;

/** Returns the first version that both the webhook and the release support. */
export const reviewVersionOf = (understood: readonly string[], release: string): ReviewVersion | undefined =>
  understood.find(
    (each): each is ReviewVersion => Object.hasOwn(KNOWN, each) && existsIn(KNOWN[each as ReviewVersion], release),
  );

export interface ReviewSite {
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

/** Review without uid and objects, shared by all webhooks that receive the request in the same version. */
export class SharedReview {
  private headJson: string | undefined;
  private tailJson: string | undefined;

  /** @param object the object in its current state; it has its name by the validation phase */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly as: MatchedVersion,
    private readonly object: JsonObject | undefined,
    private readonly site: ReviewSite,
  ) {}

  /** Returns the fields for CEL expressions. Built for each call. */
  get fields(): JsonObject {
    const userInfo = userFields(this.request.user);
    return { ...placeFields(this.request, this.as), ...this.askedFields(), userInfo, ...this.endFields() };
  }

  /** Returns the JSON before the objects, without the closing brace. @param place `placeText` of the request */
  head(place: string): string {
    this.headJson ??= `${place},${membersText(this.askedFields())},"userInfo":${userText(this.request.user)}`;
    return this.headJson;
  }

  /** Returns the JSON after the objects. */
  get tail(): string {
    this.tailJson ??= membersText(this.endFields());
    return this.tailJson;
  }

  // Fields are set one by one: spreading optional ones costs more than everything else here.
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

/** Returns the text of `placeFields`, the same for all requests of a resource, version, subresource and kind. */
export const placeText = (request: BodyParts, as: MatchedVersion): string => membersText(placeFields(request, as));

const membersText = (fields: JsonObject): string => writeJson(fields).slice(1, -1);

/** Returns the kind, resource and subresource fields. */
function placeFields({ definition, version, kind, subresource }: BodyParts, as: MatchedVersion): JsonObject {
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

/** JSON of users. A client that sends many requests usually has the same user object in all of them. */
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

/** Returns "" for an object without a name yet, and for each object of a deleted collection. */
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
  { told, place }: { readonly told: SharedReview; readonly place: string },
  { objectJson, oldObjectJson }: VersionedObjects,
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
