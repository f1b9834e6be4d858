// A client of one API server.
import type { Readable } from "node:stream";
import {
  type Clock,
  type Dialer,
  type Log,
  type RandomSource,
  silentLog,
  systemClock,
  TokenBucket,
} from "@orch/platform";
import type { JsonObject, JsonValue, VocabularyName } from "@orch/schema";
import { vocabularyOf } from "@orch/schema";
import { type ConnectionSettings, impersonationHeaders } from "../connection/connection-settings";
import type { Credentials } from "../connection/credential-parts";
import { ANONYMOUS, credentialsOf, noticingRefusals } from "../connection/credentials";
import type { PluginPolicy } from "../connection/plugin-policy";
import { proxyOf } from "../connection/proxy-choice";
import { TlsMaterialSource } from "../connection/tls-material";
import { DirectRequests } from "../transport/direct-requests";
import { withConnectionErrors } from "../transport/read-body";
import { ServerConnections } from "../transport/server-connections";
import type { Transport } from "../transport/transport";
import type { UpgradedConnection, UpgradeRequest } from "../transport/upgraded-connection";
import { userAgent } from "../transport/user-agent";
import type { AttachOptions, ExecOptions, PodLogOptions, PodReference } from "../upgrades/pod-stream-options";
import type { PodStreamDeps } from "../upgrades/pod-streams";
import type { PortForward } from "../upgrades/port-forward";
import type { RemoteProcess } from "../upgrades/remote-process";
import type { ClientMetrics } from "./client-metrics";
import { DirectSender, type StreamedRequest, type StreamedResponse } from "./direct-sender";
import { jsonLines } from "./json-lines";
import { type CallOptions, type PostOptions, queryText } from "./options";
import { type ApiRequest, RequestSender } from "./request-sender";
import { ResourceClient } from "./resource-client";
import type { ResourceType } from "./resource-type";
import { type WarningHandler, warningsTo } from "./warnings";

export interface ClientOptions {
  readonly connection: ConnectionSettings;
  /** Replaces the credentials of the connection. */
  readonly credentials?: Credentials;
  /**
   * Client whose connections this client uses as well. It must have the same connection and credentials, and is closed
   * after this one. Absent: the client opens its own.
   */
  readonly connectionsOf?: Client;
  /** Client for the lists and watches of informers, which may have other permissions. Default: this client. */
  readonly follower?: Client;
  /** Default resync interval of informers. Default: never. */
  readonly resyncMs?: number;
  /** Default for informers that leave out `metadata.managedFields`. Default: false. */
  readonly dropsManagedFields?: boolean;
  /** Default: `orch`. */
  readonly vocabulary?: VocabularyName;
  /** Name of the program, and default field manager of its writes. */
  readonly program: string;
  readonly programVersion?: string;
  /** Component of the program that uses this client, for the server's logs. */
  readonly component?: string;
  /** Average and maximum number of requests per second; `perSecond` 0: no limit. Default: 5 and 10. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Timeout of a whole request, or of the start of a watch. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Default: HTTP/2 when the server offers it. */
  readonly http2?: boolean;
  /** Opens the connections below TLS. Default: the proxy of the connection, or none. */
  readonly dialer?: Dialer | undefined;
  /** Called with each text of a `Warning` header. Default: logs each text once. */
  readonly onWarning?: WarningHandler;
  /** Receives every attempt of every request. */
  readonly metrics?: ClientMetrics;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly chance?: RandomSource;
  /** Environment of credential commands. Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Credential commands that may run. Default: all. See `pluginPolicyOf`. */
  readonly pluginPolicy?: PluginPolicy | undefined;
  /** Use of the standard input that keeps credential commands from asking a person. Absent: it is free. */
  readonly stdinTakenBy?: string | undefined;
}

/** Defaults of client-go (staging/src/k8s.io/client-go/rest/config.go). */
const DEFAULT_RATE = { perSecond: 5, burst: 10 };
const DEFAULT_TIMEOUT_MS = 60_000;

export class Client {
  readonly vocabulary: VocabularyName;
  /** Namespace of the connection, for requests that name none. */
  readonly defaultNamespace: string;
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly log: Log;
  /** Client for the requests of informers. */
  readonly follower: Client;
  readonly resyncMs: number | undefined;
  readonly dropsManagedFields: boolean;
  private readonly sender: RequestSender;
  private readonly transport: Transport;
  private readonly direct: DirectRequests;
  private readonly directSender: DirectSender;
  /** Path of the server's URL. */
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
    const { environment = process.env, pluginPolicy, stdinTakenBy } = options;
    const url = new URL(connection.server);
    const pathPrefix = url.pathname.replace(/\/+$/, "");
    this.ownPath = pathPrefix === "" ? "/" : "";
    const pluginMetrics = options.metrics?.plugins;
    const shown =
      options.credentials ??
      credentialsOf(connection, { clock, environment, pluginPolicy, pluginMetrics, stdinTakenBy });
    const held = url.protocol === "https:" ? shown : ANONYMOUS; // never without TLS
    const material = new TlsMaterialSource(connection.tls, held, clock);
    const credentials = noticingRefusals(held, () => material.refused());
    const http2 = options.http2 ?? !environment["DISABLE_HTTP2"];
    const dialer = options.dialer ?? dialerOf(connection, url, environment);
    const dialing = { clock, chance, material, dialer };
    this.transport =
      options.connectionsOf?.borrowed() ?? new ServerConnections({ url, tls: connection.tls, http2 }, dialing);
    const agent = userAgent({
      program: options.program,
      version: options.programVersion ?? "0.0.0",
      product: vocabularyOf(vocabulary).userAgents.product,
      ...(options.component === undefined ? {} : { component: options.component }),
    });
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { impersonation } = connection;
    this.direct = new DirectRequests({ url, tls: connection.tls }, dialing);
    this.directSender = new DirectSender({
      direct: this.direct,
      credentials,
      clock,
      headers: { "user-agent": agent, ...(impersonation && impersonationHeaders(impersonation)) },
      pathPrefix,
      timeoutMs,
    });
    this.sender = new RequestSender(
      {
        transport: this.transport,
        credentials,
        rateLimit: new TokenBucket(options.rateLimit ?? DEFAULT_RATE, clock),
        clock,
        chance,
        log,
        onWarning: options.onWarning ?? warningsTo(log),
        metrics: options.metrics,
      },
      {
        userAgent: agent,
        server: url,
        metaGroup: vocabularyOf(vocabulary).groups.meta,
        pathPrefix,
        impersonation,
        timeoutMs,
      },
    );
  }

  /** Returns a client for a resource in all namespaces; restrict it with `.namespace(…)`. */
  resource<T extends object = JsonObject>(type: ResourceType<T>): ResourceClient<T> {
    return new ResourceClient(this.sender, type, undefined);
  }

  /** Returns the JSON of any path, such as a discovery document. */
  getJson(path: string, options: CallOptions & { readonly accept?: string } = {}): Promise<JsonValue> {
    return this.sender.json({ method: "GET", path, ...options });
  }

  /** Returns the text of any path, such as `/readyz?verbose`. */
  getText(path: string, options: CallOptions = {}): Promise<string> {
    return this.sender.text({ method: "GET", path, accept: "*/*", ...options });
  }

  /** Returns the JSON that answers any request, such as a table. */
  requestJson(request: ApiRequest): Promise<JsonValue> {
    return this.sender.json(request);
  }

  /** Returns the text that answers any request. */
  requestText(request: ApiRequest): Promise<string> {
    return this.sender.text(request);
  }

  /** Yields the JSON documents of an answer that has one per line, such as a watch of tables. */
  async *requestLines(request: ApiRequest): AsyncGenerator<JsonObject, void, undefined> {
    const body = await this.sender.stream(request);
    try {
      yield* jsonLines(body);
    } catch (error) {
      throw request.signal?.aborted === true ? request.signal.reason : error;
    } finally {
      body.destroy();
    }
  }

  /** Posts to the server's own URL, such as that of a webhook. @returns the text of the response */
  postJson(body: Uint8Array, options: PostOptions = {}): Promise<string> {
    return this.sender.text({ method: "POST", path: this.ownPath, body, accept: "*/*", ...options });
  }

  /**
   * Sends a request of any kind, over HTTP/1.1 and without the rate limit and retries. Responses of any status are
   * returned unchanged.
   * @throws ConnectionError, TimeoutError, the signal's reason
   */
  raw(request: StreamedRequest): Promise<StreamedResponse> {
    return this.directSender.streamed(request);
  }

  /** Opens an upgraded connection. @throws StatusError when the server refuses it; else as `raw` */
  upgrade(request: UpgradeRequest): Promise<UpgradedConnection> {
    return this.directSender.upgraded(request);
  }

  /**
   * Returns the log of a container as a stream, which fails with a ConnectionError when it is cut off. @throws
   * StatusError; else as `raw`
   */
  async podLog({ namespace, name, signal, timeoutMs, ...query }: PodLogOptions): Promise<Readable> {
    const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
    const request = { path: place + queryText(query), accept: "*/*", signal, timeoutMs };
    return withConnectionErrors(await this.sender.stream({ method: "GET", ...request }), signal);
  }

  /** Runs a command in a container, over WebSocket or SPDY. @throws StatusError; else as `raw` */
  exec(options: ExecOptions): Promise<RemoteProcess> {
    const { exec } = require("../upgrades/pod-streams") as typeof import("../upgrades/pod-streams");
    return exec(this.podStreamDeps, options);
  }

  /** Attaches to the process of a container. Throws like `exec`. */
  attach(options: AttachOptions): Promise<RemoteProcess> {
    const { attach } = require("../upgrades/pod-streams") as typeof import("../upgrades/pod-streams");
    return attach(this.podStreamDeps, options);
  }

  /** Opens a connection through which the ports of a pod are reached. Throws like `exec`. */
  portForward(options: PodReference & Pick<AttachOptions, "signal" | "timeoutMs">): Promise<PortForward> {
    const { portForward } = require("../upgrades/pod-streams") as typeof import("../upgrades/pod-streams");
    return portForward(this.podStreamDeps, options);
  }

  /** Ends all running requests. Requests over the connections of another client go on until that client is closed. */
  close(): void {
    this.sender.close();
    this.direct.close();
  }

  private get podStreamDeps(): PodStreamDeps {
    const { clock, vocabulary } = this;
    return { clock, vocabulary, upgrade: (request) => this.upgrade(request) };
  }

  /** Returns the connections for another client, which does not close them. */
  private borrowed(): Transport {
    const { transport } = this;
    return { send: (request) => transport.send(request), close: () => {} };
  }
}

function dialerOf(
  { proxy, tls }: ConnectionSettings,
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
): Dialer | undefined {
  const found = proxyOf(proxy, url, environment);
  if (found === undefined) return undefined;
  const { proxyDialer } = require("../connection/proxy-dialer") as typeof import("../connection/proxy-dialer");
  return proxyDialer(found, tls);
}
