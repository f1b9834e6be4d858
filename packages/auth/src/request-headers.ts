// Users whom a proxy has authenticated, as it tells of them in headers. Who the proxy is has to be shown first, by a client certificate of
// an authority that is there for this alone; else whoever sends such headers could be anybody.
// Source: access-control, "Authenticating proxy flags"; facts, flags.json `requestheader-*`.
import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";
import { commonNameOf } from "./certificate-subject";
import { ChainVerifier, type ChainVerifierParts } from "./chain-verifier";
import { decodedKey, textOf } from "./header-text";

export interface RequestHeaderOptions {
  /** Of the proxies' authorities. */
  readonly caPem: string;
  /** Common names of the proxies; empty: any. */
  readonly allowedNames: readonly string[];
  /** In order: the first with a value counts. Names of headers are the same in any case. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** All values count. */
  readonly groupHeaders: readonly string[];
  /** What follows one of these in a header's name is the key of something more about the user. */
  readonly extraHeaderPrefixes: readonly string[];
  readonly nowMs?: () => number;
  /** Asked at every request, of the proxy's certificate and of those above it. */
  readonly isRevoked?: ChainVerifierParts<unknown>["isRevoked"];
}

export class RequestHeaderAuthenticator implements Authenticator {
  private readonly verifier: ChainVerifier<string>;
  private readonly allowed: ReadonlySet<string>;
  private readonly names: HeaderNames;

  /** @throws Error when no certificate can be read from `caPem` */
  constructor(options: RequestHeaderOptions) {
    const { caPem, nowMs = Date.now, isRevoked } = options;
    this.verifier = new ChainVerifier(caPem, { nowMs, valueOf: commonNameOf, isRevoked });
    this.allowed = new Set(options.allowedNames);
    this.names = {
      user: options.usernameHeaders.map(lowerCase),
      uid: options.uidHeaders.map(lowerCase),
      groups: options.groupHeaders.map(lowerCase),
      extra: options.extraHeaderPrefixes.map(lowerCase),
    };
  }

  /** As that of client certificates. */
  replaceCa(caPem: string): void {
    this.verifier.replaceCa(caPem);
  }

  /** Whether the certificate leads to one of the authorities now, by a chain of which nothing is revoked. */
  trusts(certificate: X509Certificate): boolean {
    return this.verifier.find(certificate).kind === "trusted";
  }

  authenticate({ connection, rawHeaders }: AuthenticationRequest): AuthenticationOutcome {
    const certificate = connection.peerCertificate();
    if (certificate === undefined) return NOT_APPLICABLE;
    const finding = this.verifier.find(certificate);
    if (finding.kind === "refused") return failed(`proxy: ${finding.reason}`);
    if (this.allowed.size > 0 && !this.allowed.has(finding.value)) {
      return failed(`proxy: ${JSON.stringify(finding.value)} is none of the names that are allowed`);
    }
    const user = userIn(rawHeaders, this.names);
    return user === undefined ? NOT_APPLICABLE : { kind: "authenticated", user };
  }
}

/** In lower case. */
interface HeaderNames {
  readonly user: readonly string[];
  readonly uid: readonly string[];
  readonly groups: readonly string[];
  readonly extra: readonly string[];
}

const lowerCase = (name: string): string => name.trim().toLowerCase();

/** Undefined where the headers name nobody. */
function userIn(rawHeaders: readonly string[], names: HeaderNames): UserInfo | undefined {
  const values = new Map<string, string[]>();
  const extra = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const key = (rawHeaders[at] as string).toLowerCase();
    const value = rawHeaders[at + 1] as string;
    append(values, key, value);
    const prefix = names.extra.find((each) => each !== "" && key.startsWith(each));
    if (prefix !== undefined) append(extra, decodedKey(key.slice(prefix.length)), textOf(value));
  }
  const first = (of: readonly string[]) => {
    for (const name of of) {
      const [value = ""] = values.get(name) ?? [];
      if (value !== "") return textOf(value);
    }
    return "";
  };
  const name = first(names.user);
  if (name === "") return undefined;
  const uid = first(names.uid);
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: names.groups.flatMap((group) => (values.get(group) ?? []).map(textOf)),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
