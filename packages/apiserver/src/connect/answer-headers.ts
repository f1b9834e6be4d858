// What of another server's answer head is passed on. To a browser it is an answer of this server: of what speaks for the whole server,
// and not for the one page, nothing comes through. Else whoever runs a pod could decide over what browsers do with the API, and keep
// doing. Heads are names and values in turn, as they were written.
// Source: facts, apiserver-hooks.md "Plain proxying"; RFC 9110, 7.6.1; the fetch, HTML, cookie and service worker standards.
import type { Vocabulary } from "@orch/schema";
import { passiveLinks, withoutReports } from "./page-headers";
import { connectionHeaders, HOP_BY_HOP, pairs, type RawHeaders } from "./raw-headers";

const OF_THE_WHOLE_SERVER: ReadonlySet<string> = new Set([
  // What this server says of the request, and to its own clients.
  ...["audit-id", "warning"],
  // What the browser would send to all of the server from then on, or let it be known by.
  ...["set-cookie", "set-cookie2", "set-login", "secure-session-registration", "secure-session-challenge"],
  ...["sec-session-registration", "sec-session-challenge", "activate-storage-access"],
  // How the server is to be reached, and whom to tell where it cannot be.
  ...["strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct", "alt-svc"],
  ...["nel", "report-to", "reporting-endpoints"],
  // What the browser keeps of the server, and tells it.
  ...["clear-site-data", "accept-ch", "accept-ch-lifetime", "critical-ch", "origin-agent-cluster", "use-as-dictionary"],
  // Who may look into it, or stand between it and the browser.
  ...["cross-origin-opener-policy", "cross-origin-opener-policy-report-only", "timing-allow-origin"],
  ...["service-worker-allowed", "service-worker-navigation-preload"],
  // Passwords that are asked for in its name. What proves who the client is never reaches the other side anyway.
  ...["www-authenticate", "optional-www-authenticate", "authentication-info", "proxy-authentication-info"],
  // Away from the page, past the links that are made to lead through the proxy.
  ...["refresh", "sourcemap", "x-sourcemap", "speculation-rules"],
  // Nothing but reports comes of it.
  "content-security-policy-report-only",
]);

/** Headers of a page of which a part is passed on, by their names in lower case. */
const PASSED_IN_PART: ReadonlyMap<string, (value: string) => string | undefined> = new Map([
  ["link", passiveLinks],
  ["content-security-policy", withoutReports],
]);

const passedPart = (name: string, value: string): string | undefined => {
  const part = PASSED_IN_PART.get(name);
  return part === undefined ? value : part(value);
};

/** All of them: which pages of other hosts may read what this server answers is for its own options to say. */
const FOR_OTHER_ORIGINS = /^access-control-/;

const ownHeaders = new WeakMap<Vocabulary, ReadonlySet<string>>();

function isOwn(name: string, vocabulary: Vocabulary): boolean {
  let own = ownHeaders.get(vocabulary);
  if (own === undefined) {
    own = new Set(Object.values(vocabulary.headers).map((each) => each.toLowerCase()));
    ownHeaders.set(vocabulary, own);
  }
  return own.has(name);
}

/** @param name lower case */
const speaksForServer = (name: string, vocabulary: Vocabulary): boolean =>
  OF_THE_WHOLE_SERVER.has(name) || FOR_OTHER_ORIGINS.test(name) || isOwn(name, vocabulary);

/**
 * Of an answer whose body is passed on.
 * @param rewrite a header's value, by its name in lower case; undefined leaves it out
 * @param passes names in lower case of those that may speak for this server
 */
export function answerHeaders(
  raw: RawHeaders,
  vocabulary: Vocabulary,
  rewrite: (name: string, value: string) => string | undefined = (_name, value) => value,
  passes: ReadonlySet<string> = NONE,
): Readonly<Record<string, string | string[]>> {
  const headers = new Map<string, string | string[]>();
  const named = connectionHeaders(raw);
  for (const [name, sent] of pairs(raw)) {
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || named.has(key)) continue;
    if (speaksForServer(key, vocabulary) && !passes.has(key)) continue;
    const part = passedPart(key, sent);
    const value = part === undefined ? undefined : rewrite(key, part);
    if (value === undefined) continue;
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]);
  }
  return Object.fromEntries(headers);
}

const NONE: ReadonlySet<string> = new Set();

/** Of an answer by which the other side agrees to an upgrade: else to the letter, for it speaks of the connection to come. */
export const upgradeAnswerHeaders = (raw: RawHeaders, vocabulary: Vocabulary): string[] =>
  pairs(raw)
    .filter(([name]) => !speaksForServer(name.toLowerCase(), vocabulary) && !PASSED_IN_PART.has(name.toLowerCase()))
    .flat();
