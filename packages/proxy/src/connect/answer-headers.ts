// Filters the headers of a proxied answer. A browser takes the answer for one of this server: headers that apply to the
// whole origin, and not to the one page, are dropped. Otherwise the owner of a pod could control how browsers use the
// API, even later. Headers are raw lists of names and values. Source: RFC 9110, section 7.6.1; the Fetch, HTML, cookie
// and Service Workers standards.
import type { Vocabulary } from "@orch/schema";
import { isPage, passiveLinks, SANDBOX, withoutReports } from "./page-headers";
import { connectionHeaders, HOP_BY_HOP, pairs, type RawHeaders } from "./raw-headers";

const OF_THE_WHOLE_SERVER: ReadonlySet<string> = new Set([
  // Information of this server about the request, and for its own clients.
  ...["audit-id", "warning"],
  // State that the browser would send with each later request to this server, or be identified by.
  ...["set-cookie", "set-cookie2", "set-login", "secure-session-registration", "secure-session-challenge"],
  ...["sec-session-registration", "sec-session-challenge", "activate-storage-access"],
  // How the server is reached, and where errors are reported.
  ...["strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct", "alt-svc"],
  ...["nel", "report-to", "reporting-endpoints"],
  // Settings that the browser keeps for the server.
  ...["clear-site-data", "accept-ch", "accept-ch-lifetime", "critical-ch", "origin-agent-cluster", "use-as-dictionary"],
  // Access of other origins to the page.
  ...["cross-origin-opener-policy", "cross-origin-opener-policy-report-only", "timing-allow-origin"],
  ...["service-worker-allowed", "service-worker-navigation-preload"],
  // Password prompts in the name of this server. Credentials of the client never reach the backend anyway.
  ...["www-authenticate", "optional-www-authenticate", "authentication-info", "proxy-authentication-info"],
  // Addresses outside the page that the rewriting of links does not cover.
  ...["refresh", "sourcemap", "x-sourcemap", "speculation-rules"],
  // Has no effect but reports.
  "content-security-policy-report-only",
]);

/** Headers that are passed on in part, by lower-case name. */
const PASSED_IN_PART: ReadonlyMap<string, (value: string) => string | undefined> = new Map([
  ["link", passiveLinks],
  ["content-security-policy", withoutReports],
]);

const passedPart = (name: string, value: string): string | undefined => {
  const part = PASSED_IN_PART.get(name);
  return part === undefined ? value : part(value);
};

/** CORS headers: the options of this server decide which other origins may read its answers. */
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

/** @param name in lower case */
const speaksForServer = (name: string, vocabulary: Vocabulary): boolean =>
  OF_THE_WHOLE_SERVER.has(name) || FOR_OTHER_ORIGINS.test(name) || isOwn(name, vocabulary);

/**
 * Filters the headers of an answer with a body. An answer that may be a page gets a sandbox beside its own policies.
 * @param rewrite changes a header's value, by its lower-case name; undefined drops it
 * @param passes lower-case names of origin-wide headers that are kept
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
  if (isPage(headers.get("content-type"))) {
    const policies = headers.get("content-security-policy") ?? [];
    headers.set("content-security-policy", [policies, SANDBOX].flat());
  }
  return Object.fromEntries(headers);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Filters the headers of an answer that accepts an upgrade. The others are passed on unchanged, because they describe
 * the new connection.
 */
export const upgradeAnswerHeaders = (raw: RawHeaders, vocabulary: Vocabulary): string[] =>
  pairs(raw)
    .filter(([name]) => !speaksForServer(name.toLowerCase(), vocabulary) && !PASSED_IN_PART.has(name.toLowerCase()))
    .flat();
