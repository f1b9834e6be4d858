// Users that an authenticating proxy reports in headers. The proxy must first prove its identity by a client
// certificate of a dedicated authority; otherwise any client could send such headers.
// Source: Kubernetes documentation, "Authenticating", "Authenticating proxy".
import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import { commonNameOf } from "../certificates/certificate-subject";
import { ChainVerifier, type ChainVerifierParts } from "../certificates/chain-verifier";
import { decodedKey, textOf } from "../identity/header-text";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";

export interface RequestHeaderOptions {
  /** Authorities of the proxies. */
  readonly caPem: string;
  /** Common names of the proxies; empty: any. */
  readonly allowedNames: readonly string[];
  /** Header names, in order: the first one with a value is used. Header names are case-insensitive. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** All values of all headers are used. */
  readonly groupHeaders: readonly string[];
  /** Prefixes of headers with extra values; the rest of the header name is the key. */
  readonly extraHeaderPrefixes: readonly string[];
  readonly nowMs?: () => number;
  /** Called at every request for the proxy's certificate and its issuers. */
  readonly isRevoked?: ChainVerifierParts<unknown>["isRevoked"];
}

export class RequestHeaderAuthenticator implements Authenticator {
  private readonly verifier: ChainVerifier<string>;
  private readonly allowed: ReadonlySet<string>;
  private readonly names: HeaderNames;

  /** @throws Error when `caPem` contains no readable certificate */
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

  /** Replaces the trusted authorities, as for client certificates. */
  replaceCa(caPem: string): void {
    this.verifier.replaceCa(caPem);
  }

  /**
   * Returns whether the certificate chains to one of the authorities now, through a chain without revoked certificates.
   */
  trusts(certificate: X509Certificate): boolean {
    return this.verifier.find(certificate).kind === "trusted";
  }

  authenticate({ connection, rawHeaders }: AuthenticationRequest): AuthenticationOutcome {
    const certificate = connection.peerCertificate();
    if (certificate === undefined) return NOT_APPLICABLE;
    const finding = this.verifier.find(certificate);
    if (finding.kind === "refused") return failed(`proxy: ${finding.reason}`);
    if (this.allowed.size > 0 && !this.allowed.has(finding.value)) {
      return failed(`proxy: ${JSON.stringify(finding.value)} is not one of the allowed names`);
    }
    const user = userIn(rawHeaders, this.names);
    return user === undefined ? NOT_APPLICABLE : { kind: "authenticated", user };
  }
}

/** Header names in lower case. */
interface HeaderNames {
  readonly user: readonly string[];
  readonly uid: readonly string[];
  readonly groups: readonly string[];
  readonly extra: readonly string[];
}

const lowerCase = (name: string): string => name.trim().toLowerCase();

/** Returns the user in the headers; undefined when they name none. */
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
