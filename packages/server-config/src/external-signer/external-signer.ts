// Signer of service account tokens outside of the server, which holds the private keys and tells the public ones.
// Source: KEP-740; pkg/serviceaccount/externaljwt/plugin.
import { externalKey, KeyRing, type VerificationKey } from "@orch/auth";
import { ConfigurationError, compareReleases } from "@orch/machinery";
import type { Log } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";
import { namingOption } from "../settings/named-option";
import {
  type FetchedKey,
  type FetchedKeys,
  readFetchedKeys,
  readMaxSeconds,
  readSignedToken,
  signRequest,
} from "./signer-messages";
import { type SignerMetrics, type SignerObserver, signerObserver } from "./signer-observer";
import { CallError, UnaryChannel } from "./unary-channel";

export interface ExternalSignerParts {
  /** Path of the socket. */
  readonly socket: string;
  /** Served release; decides the version of the protocol. */
  readonly release: string;
  readonly logger: Log;
  readonly observer?: SignerObserver;
  /** Time that the signer has to become reachable. */
  readonly startMs?: number;
}

const OPTION = "service-account-signing-endpoint";
const START_MS = 60_000;
const CALL_MS = 60_000;
const RETRY_MS = 250;
/** Interval of refreshes after a failed one. */
const FALLBACK_SECONDS = 10;
/** Minimum interval of refreshes for unknown keys, which any client can name. */
const UNKNOWN_KEY_MS = 1000;
const KEY_ID_MAX = 1024;
const MIN_TOKEN_SECONDS = 600;
/** Timers take at most 2^31 ms. */
const REFRESH_MAX_SECONDS = 86_400;
const SOURCE = "external signer";
const ALGORITHMS: readonly unknown[] = ["RS256", "ES256", "ES384", "ES512"];
/** First release that speaks v1; earlier ones speak v1alpha1. */
const V1_SINCE = "1.34";

export interface SignerParts {
  readonly config: ServerConfig;
  readonly release: string;
  readonly logger: Log;
  readonly metrics: SignerMetrics;
}

/** @returns undefined when no option names a signer @throws SettingsError when it does not answer, or is not usable */
export async function openSigner({
  config,
  release,
  logger,
  metrics,
}: SignerParts): Promise<ExternalSigner | undefined> {
  const socket = config[OPTION];
  if (socket === "") return undefined;
  const signer = new ExternalSigner({ socket, release, logger, observer: signerObserver(metrics) });
  try {
    await namingOption(OPTION, async () => {
      await opened(signer, socket);
      const longest = config["service-account-max-token-expiration"] / 1000;
      if (longest > signer.maxSeconds) {
        throw new ConfigurationError([
          `--service-account-max-token-expiration cannot be longer than the lifetime that the signer supports: ${longest}s > ${signer.maxSeconds}s`,
        ]);
      }
    });
  } catch (error) {
    signer.close();
    throw error;
  }
  return signer;
}

async function opened(signer: ExternalSigner, socket: string): Promise<void> {
  try {
    await signer.open();
  } catch (error) {
    throw new ConfigurationError([`the signer at ${socket}: ${(error as Error).message}`]);
  }
}

export class ExternalSigner {
  /** All keys that verify tokens. */
  readonly ring = new KeyRing();
  /** Keys of the key set that the server publishes. */
  published: readonly VerificationKey[] = [];
  /** Maximum lifetime of tokens. */
  maxSeconds = 0;
  private readonly channel: UnaryChannel;
  private readonly service: string;
  private excluded: ReadonlySet<string> = new Set();
  private refreshing: Promise<void> | undefined;
  private refreshedAtMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly parts: ExternalSignerParts) {
    this.channel = new UnaryChannel(parts.socket);
    const version = compareReleases(parts.release, V1_SINCE) >= 0 ? "v1" : "v1alpha1";
    this.service = `/${version}.ExternalJWTSigner`;
  }

  async open(): Promise<void> {
    const endMs = performance.now() + (this.parts.startMs ?? START_MS);
    let hint = await this.reached(() => this.fetch(), endMs);
    const schedule = (): void => {
      if (this.closed) return;
      this.timer = setTimeout(async () => {
        try {
          hint = await this.fetch();
        } catch (error) {
          hint = FALLBACK_SECONDS;
          this.parts.logger.error("the keys of the external signer were not refreshed", {
            error: (error as Error).message,
          });
        }
        schedule();
      }, Math.min(hint, REFRESH_MAX_SECONDS) * 1000);
      this.timer.unref();
    };
    schedule();
    this.maxSeconds = readMaxSeconds(await this.call("Metadata", Buffer.alloc(0)));
    if (this.maxSeconds < MIN_TOKEN_SECONDS)
      throw new Error(`its maximum token lifetime of ${this.maxSeconds} s is less than ${MIN_TOKEN_SECONDS} s`);
  }

  /** Returns a signed token. @throws Error when the signer fails or answers with an invalid header */
  async sign(claims: object): Promise<string> {
    const { observer } = this.parts;
    try {
      const token = await this.signed(claims);
      observer?.signed(undefined);
      return token;
    } catch (error) {
      observer?.signed(error);
      throw error;
    }
  }

  private async signed(claims: object): Promise<string> {
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const { header, signature } = readSignedToken(await this.call("Sign", signRequest(payload)));
    const problem = await this.headerProblem(header);
    if (problem !== undefined) throw new Error(`the external signer returned an invalid header: ${problem}`);
    if (!/^[\w-]+$/.test(signature)) throw new Error("the external signer returned no signature");
    return `${header}.${payload}.${signature}`;
  }

  /** Fetches the keys again when a key is unknown, at most once a second. */
  async refreshFor(keyId: string): Promise<void> {
    if (this.ring.keys.some(({ id }) => id === keyId)) return;
    if (this.refreshing === undefined) {
      if (performance.now() - this.refreshedAtMs < UNKNOWN_KEY_MS) return;
      this.refreshedAtMs = performance.now();
      this.refreshing = this.fetch()
        .then(
          () => {},
          (error: Error) =>
            this.parts.logger.error("the keys of the external signer were not refreshed", { error: error.message }),
        )
        .finally(() => {
          this.refreshing = undefined;
        });
    }
    await this.refreshing;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.channel.close();
  }

  private async call(method: "Sign" | "FetchKeys" | "Metadata", message: Buffer): Promise<Buffer> {
    const path = `${this.service}/${method}`;
    const begun = performance.now();
    const told = (error: unknown) => this.parts.observer?.called(path, error, (performance.now() - begun) / 1000);
    try {
      const answer = await this.channel.call(path, message, CALL_MS);
      told(undefined);
      return answer;
    } catch (error) {
      told(error);
      throw error;
    }
  }

  /** Repeats the call while the signer is not reachable. */
  private async reached<T>(call: () => Promise<T>, endMs: number): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof CallError) || !error.isUnreachable || performance.now() >= endMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Replaces all keys. @returns the time after which they should be fetched again, in seconds */
  private async fetch(): Promise<number> {
    const { observer } = this.parts;
    try {
      const { refreshSeconds, dataSeconds } = await this.fetchKeys();
      observer?.fetched({ dataSeconds });
      return refreshSeconds;
    } catch (error) {
      observer?.fetched({ error });
      throw error;
    }
  }

  private async fetchKeys(): Promise<FetchedKeys> {
    const fetched = readFetchedKeys(await this.call("FetchKeys", Buffer.alloc(0)));
    const { keys, refreshSeconds } = fetched;
    if (refreshSeconds <= 0) throw new Error(`found invalid refresh hint (${refreshSeconds}s)`);
    if (keys.length === 0) throw new Error("found no keys");
    const parsed = keys.map(parsedKey);
    this.ring.replace(SOURCE, parsed);
    this.excluded = new Set(keys.filter(({ isExcluded }) => isExcluded).map(({ id }) => id));
    this.published = parsed.filter(({ id }) => !this.excluded.has(id));
    return fetched;
  }

  private async headerProblem(header: string): Promise<string | undefined> {
    let fields: Readonly<Record<string, unknown>>;
    try {
      fields = JSON.parse(Buffer.from(header, "base64url").toString("utf8")) as Readonly<Record<string, unknown>>;
    } catch {
      return "it is not JSON";
    }
    const { alg, kid, typ, ...others } = fields;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) return `unknown field ${JSON.stringify(unknown)}`;
    if (typ !== "JWT") return "bad type";
    if (typeof kid !== "string" || kid === "") return "key id missing";
    if (kid.length > KEY_ID_MAX) return "key id longer than 1 kb";
    if (!ALGORITHMS.includes(alg)) return `bad signing algorithm ${JSON.stringify(alg)}`;
    await this.refreshFor(kid);
    return this.excluded.has(kid)
      ? `key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`
      : undefined;
  }
}

function parsedKey({ id, der }: FetchedKey): VerificationKey {
  if (id === "" || id.length > KEY_ID_MAX) throw new Error(`found invalid public key id ${JSON.stringify(id)}`);
  if (der.length === 0) throw new Error("found empty public key");
  return externalKey(id, der);
}
