// Publishes how this server authenticates clients, for aggregated API servers: they accept the same client certificates
// and the same front proxies, of which the API server is one. Every replica merges its own information. Source:
// pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go.
import { X509Certificate } from "node:crypto";
import { plainHeaderName, type TrustedHeaders } from "@orch/extensions";
import type { ClientAuthorities } from "@orch/http-server";
import { isCode, isReason, MOST_RECENT, StatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { certificateBlocks } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { MaintainedObject, serverWrite } from "@orch/served-resources";
import type { ServerConfig } from "@orch/server-config";

export interface AuthenticationInfoParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  /** Storage of ConfigMaps. */
  readonly storage: ResourceStorage;
  readonly authorities: () => ClientAuthorities;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

const NAME = "extension-apiserver-authentication";
const EVERY_MS = 60_000;
/** Tolerance for clock differences. */
const EXPIRED_FOR_MS = 5 * 60_000;
const TRIES = 5;

type Data = Readonly<Record<string, string>>;

export class AuthenticationInfo {
  private readonly kept: MaintainedObject;
  private published: TrustedHeaders;

  constructor(private readonly parts: AuthenticationInfoParts) {
    const { storage, logger, vocabulary } = parts;
    const own = headerLists(parts.config);
    this.published = trustedHeaders(own);
    this.kept = new MaintainedObject({
      storage,
      key: { namespace: vocabulary.namespaces.system, name: NAME },
      logger,
      keep: () => this.keep(),
      failure: "cannot write the configuration for aggregated API servers",
      changed: (entry) => {
        const { data } = entry.whole();
        const written = isObject(data) ? (data as Data) : {};
        const lists = HEADER_LISTS.map((name) => [name, [...(own[name] ?? []), ...listOf(written[name])]]);
        this.published = trustedHeaders(Object.fromEntries(lists));
      },
      everyMs: EVERY_MS,
    });
  }

  /** Resolves when the information is written. */
  start(): Promise<void> {
    return this.kept.start();
  }

  /** Headers by which aggregated API servers may identify a user, whichever replica published them. */
  get trusted(): TrustedHeaders {
    return this.published;
  }

  /** Called after certificate files were read again. */
  authoritiesChanged(): void {
    this.kept.lookSoon();
  }

  stop(): void {
    this.kept.stop();
  }

  private async keep(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.writeOnce();
        return;
      } catch (error) {
        if (isTooLarge(error)) await this.remove();
        else if (!isReason(error, "Conflict") && !isReason(error, "AlreadyExists")) throw error;
        if (tries === TRIES) throw error;
      }
    }
  }

  private async writeOnce(): Promise<void> {
    const { storage, vocabulary, nowMs } = this.parts;
    const key = { namespace: vocabulary.namespaces.system, name: NAME };
    const existing = await this.read();
    const before = isObject(existing?.["data"]) ? (existing["data"] as Data) : {};
    const data = merged(before, this.own(), nowMs());
    if (existing !== undefined && Object.entries(data).every(([name, value]) => before[name] === value)) return;
    const write = serverWrite(storage, vocabulary);
    if (existing !== undefined) {
      await storage.update({ ...existing, data: { ...before, ...data } }, key, write);
      return;
    }
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata: key, data };
    await storage.create(object, { ...key, name: "" }, write);
  }

  private async read(): Promise<JsonObject | undefined> {
    const { storage, vocabulary } = this.parts;
    try {
      return (await storage.get({ namespace: vocabulary.namespaces.system, name: NAME }, MOST_RECENT)).object();
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  private async remove(): Promise<void> {
    const { storage, vocabulary } = this.parts;
    const key = { namespace: vocabulary.namespaces.system, name: NAME };
    await storage.delete(key, {}, serverWrite(storage, vocabulary)).catch(() => undefined);
  }

  private own(): OwnInfo {
    const { config, authorities } = this.parts;
    const { clients, proxies } = authorities();
    return {
      certificates: { "client-ca-file": clients, ...(proxies !== "" && { "requestheader-client-ca-file": proxies }) },
      lists:
        proxies === ""
          ? {}
          : { ...headerLists(config), "requestheader-allowed-names": config["requestheader-allowed-names"] },
    };
  }
}

const HEADER_LISTS = [
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
] as const;

type HeaderList = (typeof HEADER_LISTS)[number];

const headerLists = (config: ServerConfig): Partial<Record<HeaderList, readonly string[]>> => ({
  "requestheader-username-headers": config["requestheader-username-headers"],
  ...(config["requestheader-uid-headers"].length > 0 && {
    "requestheader-uid-headers": config["requestheader-uid-headers"],
  }),
  "requestheader-group-headers": config["requestheader-group-headers"],
  "requestheader-extra-headers-prefix": config["requestheader-extra-headers-prefix"],
});

function trustedHeaders(lists: Partial<Record<HeaderList, readonly string[]>>): TrustedHeaders {
  const { "requestheader-extra-headers-prefix": prefixes = [], ...names } = lists;
  const plain = (of: readonly string[]) => of.map((each) => plainHeaderName(each.trim())).filter((each) => each !== "");
  return { names: new Set(plain(Object.values(names).flat())), prefixes: plain(prefixes) };
}

interface OwnInfo {
  readonly certificates: Data;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

const isTooLarge = (error: unknown): boolean =>
  isCode(error, 413) || (error instanceof StatusError && error.reason === "Invalid" && /Too long/.test(error.message));

/** Keeps existing values, which another replica may need. */
function merged(before: Data, own: OwnInfo, nowMs: number): Data {
  const data: Record<string, string> = {};
  for (const [name, pem] of Object.entries(own.certificates)) {
    const text = certificatesOf(`${before[name] ?? ""}\n${pem}`, nowMs);
    if (text !== "") data[name] = text;
  }
  for (const [name, values] of Object.entries(own.lists))
    data[name] = JSON.stringify([...new Set([...listOf(before[name]), ...values])]);
  return data;
}

/** Removes duplicates and expired certificates. */
function certificatesOf(text: string, nowMs: number): string {
  const kept = new Map<string, string>();
  for (const pem of certificateBlocks(text)) {
    try {
      const certificate = new X509Certificate(pem);
      if (Date.parse(certificate.validTo) + EXPIRED_FOR_MS >= nowMs) kept.set(certificate.fingerprint256, `${pem}\n`);
    } catch {
      // An unreadable certificate is of no use to any client.
    }
  }
  return [...kept.values()].join("");
}

function listOf(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
  } catch {
    return [];
  }
}
