// The parts of a request that all its events share, as JSON.

import type { UserInfo } from "@orch/machinery";
import { namesNoResource, type SentObject } from "@orch/request";
import type { AuditedRequest } from "../event/audit-event";
import { microTime, secondTime } from "./micro-time";
import { PassedTexts, quoted, quotedWord, remembered, type Text, textOf } from "./quoted";
import { sourceAddresses } from "./source-addresses";
import { withoutSecrets } from "./uri-secrets";

export type AuditVersion = "v1" | "v1beta1" | "v1alpha1";

export class RequestText {
  /** Members that only the older versions have. */
  readonly old: string;
  /** Without quotes, like the URI. */
  readonly id: string;
  readonly uri: string;
  readonly user: string;
  readonly client: string;
  /** Object reference when the request body names no object. */
  readonly reference: string;
  readonly received: string;
  readonly isAscii: boolean;

  constructor(request: AuditedRequest, version: AuditVersion) {
    const { id, uri, info, user, headers, receivedAt } = request;
    const passed = new PassedTexts();
    const seconds = version === "v1" ? "" : secondTime(receivedAt);
    this.old = seconds === "" ? "" : `,"metadata":{"creationTimestamp":"${seconds}"},"timestamp":"${seconds}"`;
    this.id = passed.inQuotes(id);
    this.uri = passed.inQuotes(withoutSecrets(uri));
    this.user = passed.known(verbText(info.verb)) + passed.known(userText(user));
    this.client = addressesText(sourceAddresses(request), passed) + agentText(headers["user-agent"], passed);
    this.reference = referenceText(request, undefined, version, passed);
    this.received = microTime(receivedAt);
    this.isAscii = passed.isAscii;
  }
}

const verbText = remembered((verb) => `","verb":${quoted(verb)},"user":`);
const addressText = remembered((address) => `,"sourceIPs":[${quoted(address)}]`);

function addressesText(addresses: readonly string[], passed: PassedTexts): string {
  if (addresses.length === 1) return passed.known(addressText(addresses[0] as string));
  if (addresses.length === 0) return "";
  return `,"sourceIPs":[${addresses.map((address) => passed.known(quotedWord(address))).join(",")}]`;
}

const AGENT_MAX = 1024;
const AGENT = remembered((agent) => `,"userAgent":${quoted(agent)}`);

function agentText(agent: string | readonly string[] | undefined, passed: PassedTexts): string {
  if (typeof agent !== "string" || agent === "") return "";
  return passed.known(AGENT(agent.length > AGENT_MAX ? `${agent.slice(0, AGENT_MAX)}...TRUNCATED` : agent));
}

const users = new WeakMap<UserInfo, Text>();

/** Cached by user object: a user that sends many requests is mostly one object. */
export function userText(user: UserInfo): Text {
  let text = users.get(user);
  if (text === undefined) {
    const { name, uid = "", groups, extra } = user;
    const shown = {
      ...(name === "" ? {} : { username: name }),
      ...(uid === "" ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
    };
    text = textOf(JSON.stringify(shown));
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

/** Caches repeated values; "" is left out. */
function member(name: string): (value: string | undefined, passed: PassedTexts) => string {
  const text = remembered((value) => `,"${name}":${quoted(value)}`);
  return (value, passed) => (value ? passed.known(text(value)) : "");
}

const once = (name: string, value: string | undefined, passed: PassedTexts): string =>
  value ? `,"${name}":"${passed.inQuotes(value)}"` : "";

/** Attributes that the path does not name, such as the name of a created object, come from the request body. */
export function referenceText(
  { info }: AuditedRequest,
  sent: SentObject | undefined,
  version: AuditVersion,
  passed: PassedTexts,
): string {
  if (namesNoResource(info)) return "";
  const { group } = info;
  const isOld = version === "v1alpha1";
  const before = passed.known(resourceText(info.resource)) + namespaceText(info.namespace || sent?.namespace, passed);
  const named = before + once("name", info.name || sent?.name, passed) + once("uid", sent?.uid, passed);
  const served = isOld
    ? versionText(group === "" ? info.version : `${group}/${info.version}`, passed)
    : groupText(group, passed) + versionText(info.version, passed);
  const since = once("resourceVersion", sent?.resourceVersion, passed);
  const text = `${named}${served}${since}${subresourceText(info.subresource, passed)}}`;
  // Unusual paths have no resource at this place.
  return info.resource === "" ? text.replace("{,", "{") : text;
}
