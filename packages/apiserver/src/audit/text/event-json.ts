// An event as JSON, in the versions of the group audit. Most events are one text of a few hundred characters: it is put together from
// parts, of which those that many requests share are made once. Source: facts, http.md "Audit".

import type { UserInfo } from "@orch/machinery";
import { type JsonValue, type Vocabulary, writeJson } from "@orch/schema";
import type { AuditEvent, AuditedLevel, AuditedRequest, AuditStage, SentObject } from "../audit-event";
import { answerStatus } from "./answer-status";
import { microTime, secondTime } from "./micro-time";
import { quoted, quotedWord, remembered } from "./quoted";
import { sourceAddresses } from "./source-addresses";
import { withoutSecrets } from "./uri-secrets";

/** The text of an event, in pieces: bodies are not copied into it. */
export interface EventText {
  readonly pieces: readonly (string | Uint8Array)[];
  /** Roughly: a character of a text counts as one. */
  readonly bytes: number;
}

/** What bodies say, as JSON in one line. */
export interface BodyTexts {
  readonly request?: Uint8Array | undefined;
  readonly response?: Uint8Array | undefined;
  /** There would be more, or larger ones. */
  readonly truncated?: boolean;
}

export const NO_BODIES: BodyTexts = {};

export type EventEncoder = (event: AuditEvent, bodies: BodyTexts) => EventText;

/** @param apiVersion one of `auditVersions` */
export function eventEncoder(vocabulary: Vocabulary, apiVersion: string): EventEncoder {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1) as "v1" | "v1beta1" | "v1alpha1";
  const start = `{"kind":"Event","apiVersion":${quoted(apiVersion)}`;
  const truncatedKey = vocabulary.auditAnnotations.auditTruncated;
  const mine = {};
  const sharedOf = (request: AuditedRequest): SharedText => {
    if (request.note?.by === mine) return request.note.value as SharedText;
    const value = sharedText(request, version);
    request.note = { by: mine, value };
    return value;
  };

  return (event, bodies) => {
    const { request, level, stage } = event;
    const parts = sharedOf(request);
    const impersonated = event.impersonated === undefined ? "" : `,"impersonatedUser":${userText(event.impersonated)}`;
    const reference = event.sent === undefined ? parts.reference : referenceText(request, event.sent, version);
    const head = `${start}${parts.old}${LEVELS[level]}${parts.id}${STAGES[stage]}${parts.uri}${parts.user}${impersonated}${parts.client}${reference}${answerStatus(event)}`;
    const tail = `,"requestReceivedTimestamp":"${parts.received}","stageTimestamp":"${microTime(event.stageAt)}"${annotationsText(event, bodies, truncatedKey)}}`;
    const { request: sent, response: answered } = bodies;
    if (sent === undefined && answered === undefined) {
      const text = head + tail;
      return { pieces: [text], bytes: text.length };
    }
    const pieces: (string | Uint8Array)[] = [head];
    if (sent !== undefined) pieces.push(',"requestObject":', sent);
    if (answered !== undefined) pieces.push(',"responseObject":', answered);
    pieces.push(tail);
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0) };
  };
}

const LEVELS: Readonly<Record<AuditedLevel, string>> = {
  Metadata: ',"level":"Metadata","auditID":',
  Request: ',"level":"Request","auditID":',
  RequestResponse: ',"level":"RequestResponse","auditID":',
};

const STAGES: Readonly<Record<AuditStage, string>> = {
  RequestReceived: ',"stage":"RequestReceived","requestURI":',
  ResponseStarted: ',"stage":"ResponseStarted","requestURI":',
  ResponseComplete: ',"stage":"ResponseComplete","requestURI":',
  Panic: ',"stage":"Panic","requestURI":',
};

/** Of all events of one request. */
interface SharedText {
  readonly old: string;
  readonly id: string;
  readonly uri: string;
  readonly user: string;
  readonly client: string;
  /** Where the object that was sent says nothing of itself. */
  readonly reference: string;
  readonly received: string;
}

function sharedText(request: AuditedRequest, version: "v1" | "v1beta1" | "v1alpha1"): SharedText {
  const { id, uri, info, user, headers, receivedAt } = request;
  const seconds = version === "v1" ? "" : secondTime(receivedAt);
  return {
    old: seconds === "" ? "" : `,"metadata":{"creationTimestamp":"${seconds}"},"timestamp":"${seconds}"`,
    id: quoted(id),
    uri: quoted(withoutSecrets(uri)),
    user: verbText(info.verb) + userText(user),
    client: addressesText(sourceAddresses(request)) + agentText(headers["user-agent"]),
    reference: referenceText(request, undefined, version),
    received: microTime(receivedAt),
  };
}

const verbText = remembered((verb) => `,"verb":${quoted(verb)},"user":`);
const addressText = remembered((address) => `,"sourceIPs":[${quoted(address)}]`);

function addressesText(addresses: readonly string[]): string {
  if (addresses.length === 1) return addressText(addresses[0] as string);
  return addresses.length === 0 ? "" : `,"sourceIPs":[${addresses.map(quotedWord).join(",")}]`;
}

const AGENT_MAX = 1024;
const AGENT = remembered((agent) => `,"userAgent":${quoted(agent)}`);

function agentText(agent: string | readonly string[] | undefined): string {
  if (typeof agent !== "string" || agent === "") return "";
  return AGENT(agent.length > AGENT_MAX ? `${agent.slice(0, AGENT_MAX)}...TRUNCATED` : agent);
}

const users = new WeakMap<UserInfo, string>();

/** A user that sends many requests is mostly one object. */
function userText(user: UserInfo): string {
  let text = users.get(user);
  if (text === undefined) {
    const { name, uid = "", groups, extra } = user;
    text = JSON.stringify({
      ...(name === "" ? {} : { username: name }),
      ...(uid === "" ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
    });
    users.set(user, text);
  }
  return text;
}

const resourceText = remembered(
  (resource) => `,"objectRef":{${resource === "" ? "" : `"resource":${quoted(resource)}`}`,
);
const namespaceText = member("namespace");
const groupText = member("apiGroup");
const versionText = member("apiVersion");
const subresourceText = member("subresource");

/** What comes again and again is remembered; "" is left out. */
function member(name: string): (value: string | undefined) => string {
  const text = remembered((value) => `,"${name}":${quoted(value)}`);
  return (value) => (value ? text(value) : "");
}

const once = (name: string, value: string | undefined): string => (value ? `,"${name}":${quoted(value)}` : "");

/** What the path leaves open, such as the name of what is created, is said by the object that was sent. */
function referenceText({ info }: AuditedRequest, sent: SentObject | undefined, version: string): string {
  if (info.kind === "path" || info.kind === "unreadable") return "";
  const { group } = info;
  const isOld = version === "v1alpha1";
  const before = resourceText(info.resource) + namespaceText(info.namespace || sent?.namespace);
  const named = before + once("name", info.name || sent?.name) + once("uid", sent?.uid);
  const served = isOld
    ? versionText(group === "" ? info.version : `${group}/${info.version}`)
    : groupText(group) + versionText(info.version);
  const text = `${named}${served}${once("resourceVersion", sent?.resourceVersion)}${subresourceText(info.subresource)}}`;
  // Odd paths have no resource where it stands.
  return info.resource === "" ? text.replace("{,", "{") : text;
}

const firstKey = remembered((key) => `,"annotations":{${quoted(key)}:`);
const nextKey = remembered((key) => `,${quoted(key)}:`);

function annotationsText(event: AuditEvent, { truncated }: BodyTexts, truncatedKey: string): string {
  const { annotations } = event;
  let text = "";
  const add = (key: string, value: string): void => {
    text += (text === "" ? firstKey : nextKey)(key) + value;
  };
  for (const key in annotations) add(key, quotedWord(annotations[key] as string));
  if (truncated === true) add(truncatedKey, '"true"');
  return text === "" ? "" : `${text}}`;
}

/** What a body says, in one line. @param omitManagedFields of an object, and of the items of a list */
export function bodyText(value: JsonValue, omitManagedFields: boolean): Uint8Array {
  if (omitManagedFields) dropManagedFields(value);
  return Buffer.from(writeJson(value));
}

function dropManagedFields(value: JsonValue): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const { metadata, items } = value as { metadata?: JsonValue; items?: JsonValue };
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)) {
    delete (metadata as Record<string, JsonValue>)["managedFields"];
  }
  if (Array.isArray(items)) for (const item of items) dropManagedFields(item);
}
