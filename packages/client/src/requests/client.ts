// A client of one API server.
import { type Chance, type Clock, type Log, silentLog, systemClock, TokenBucket } from "@orch/platform";
import type { JsonObject, JsonValue, VocabularyName } from "@orch/schema";
import { vocabularyOf } from "@orch/schema";
import type { ConnectionSettings } from "../connection/connection-settings";
import type { Credentials } from "../connection/credential-parts";
import { ANONYMOUS, credentialsOf } from "../connection/credentials";
import { TlsMaterialSource } from "../connection/tls-material";
import { ServerConnections } from "../transport/server-connections";
import { userAgent } from "../transport/user-agent";
import type { ClientMetrics } from "./client-metrics";
import type { CallOptions, PostOptions } from "./options";
import { RequestSender } from "./request-sender";
import { ResourceClient } from "./resource-client";
import type { ResourceType } from "./resource-type";
import { type WarningHandler, warningsTo } from "./warnings";

export interface ClientOptions {
  readonly connection: ConnectionSettings;
  /** Shown in place of what the connection names. */
  readonly credentials?: Credentials;
  /** Who follows collections for the informers of this client, where others may read what it may not. Default: itself. */
  readonly follower?: Client;
  /** After which informers tell all that they know again, where nobody says otherwise. Default: never. */
  readonly resyncMs?: number;
  /** Informers leave out `metadata.managedFields` where nobody says otherwise. Default: false. */
  readonly dropsManagedFields?: boolean;
  /** Default: `orch`. */
  readonly vocabulary?: VocabularyName;
  /** The program's name, which also is the field manager of its writes unless they name one. */
  readonly program: string;
  readonly programVersion?: string;
  /** Which part of the program this client serves, for the server's logs. */
  readonly component?: string;
  /** Requests a second over a longer time, and at once; `perSecond` 0: no limit. Default: 5 and 10. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Of a whole request, and of the beginning of a watch. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Default: HTTP/2 where the server offers it. */
  readonly http2?: boolean;
  /** Told each text of a `Warning` header. Default: the log, each text once. */
  readonly onWarning?: WarningHandler;
  /** Told of every try of every request. */
  readonly metrics?: ClientMetrics;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly chance?: Chance;
  /** What credential commands inherit. Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Source: facts, client.md "Transport". */
const DEFAULT_RATE = { perSecond: 5, burst: 10 };
const DEFAULT_TIMEOUT_MS = 60_000;

export class Client {
  readonly vocabulary: VocabularyName;
  /** The connection's, for resources that name none. */
  readonly defaultNamespace: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  /** Whose requests fill informers. */
  readonly follower: Client;
  readonly resyncMs: number | undefined;
  readonly dropsManagedFields: boolean;
  private readonly sender: RequestSender;
  /** Of the server's address, below its path. */
  private readonly ownPath: string;

  constructor(options: ClientOptions) {
    const { connection, vocabulary = "orch", clock = systemClock, chance = Math.random, log = silentLog } = options;
    this.vocabulary = vocabulary;
    this.defaultNamespace = connection.namespace;
    this.clock = clock;
    this.chance = chance;
    this.log = log;
    this.follower = options.follower ?? this;
    this.resyncMs = options.resyncMs;
    this.dropsManagedFields = options.dropsManagedFields ?? false;
    const environment = options.environment ?? process.env;
    const url = new URL(connection.server);
    const pathPrefix = url.pathname.replace(/\/+$/, "");
    this.ownPath = pathPrefix === "" ? "/" : "";
    const shown = options.credentials ?? credentialsOf(connection, { clock, environment });
    const credentials = url.protocol === "https:" ? shown : ANONYMOUS; // never in clear text
    const material = new TlsMaterialSource(connection.tls, credentials, clock);
    const http2 = options.http2 ?? !environment["DISABLE_HTTP2"];
    const transport = new ServerConnections({ url, tls: connection.tls, http2 }, { clock, chance, material });
    this.sender = new RequestSender(
      {
        transport,
        credentials,
        rateLimit: new TokenBucket(options.rateLimit ?? DEFAULT_RATE, clock),
        clock,
        chance,
        log,
        onWarning: options.onWarning ?? warningsTo(log),
        metrics: options.metrics,
      },
      {
        userAgent: userAgent({
          program: options.program,
          version: options.programVersion ?? "0.0.0",
          product: vocabularyOf(vocabulary).userAgents.product,
          ...(options.component === undefined ? {} : { component: options.component }),
        }),
        server: url,
        metaGroup: vocabularyOf(vocabulary).groups.meta,
        pathPrefix,
        impersonation: connection.impersonation,
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      },
    );
  }

  /** Of all namespaces; narrow with `.namespace(…)`. */
  resource<T extends object = JsonObject>(type: ResourceType<T>): ResourceClient<T> {
    return new ResourceClient(this.sender, type, undefined);
  }

  /** Any path's JSON, such as a discovery document. */
  getJson(path: string, options: CallOptions & { readonly accept?: string } = {}): Promise<JsonValue> {
    return this.sender.json({ method: "GET", path, ...options });
  }

  /** Any path's text, such as `/readyz?verbose`. */
  getText(path: string, options: CallOptions = {}): Promise<string> {
    return this.sender.text({ method: "GET", path, accept: "*/*", ...options });
  }

  /** What is to be received at the server's own address, such as what a webhook is told. @returns the answer's text */
  postJson(body: Uint8Array, options: PostOptions = {}): Promise<string> {
    return this.sender.text({ method: "POST", path: this.ownPath, body, accept: "*/*", ...options });
  }

  /** Ends everything that is under way. */
  close(): void {
    this.sender.close();
  }
}
