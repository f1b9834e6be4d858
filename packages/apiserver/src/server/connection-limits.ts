// Connection limits: bounds the resources that clients hold, and measures them.

import type { InFlightControl } from "@orch/flow-control";
import {
  BodyBudget,
  type Connection,
  connectionsMax,
  Failures,
  OpenConnections,
  openFilesMax,
  workedFor,
} from "@orch/http-server";
import { StatusError } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import { ClientGoneError } from "@orch/platform";
import { type ApiResponse, RequestContext } from "@orch/request";
import type { ServerConfig } from "@orch/server-config";
import { ActiveRequests } from "../pipeline/active-requests";
import { placeLabels } from "../pipeline/request-records";
import { UnreadAnswers } from "../pipeline/unread-answers";
import { LoadFigures } from "./load-figures";

export interface ConnectionLimitsDeps {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  /** Started and closed with the limits. */
  readonly inFlight: InFlightControl;
}

export class ConnectionLimits {
  readonly failures: Failures;
  readonly connections: OpenConnections;
  readonly active: ActiveRequests;
  readonly inFlight: InFlightControl;
  readonly bodies = new BodyBudget();
  private readonly figures: LoadFigures;

  constructor(deps: ConnectionLimitsDeps) {
    const { config, logger, metrics } = deps;
    const failed = metrics.counter("apiserver_connection_failures_total");
    this.failures = new Failures({ logger, count: (place) => failed.inc({ place }), now });
    const closed = metrics.counter("apiserver_connections_closed_total");
    const connections = new OpenConnections({
      max: connectionsMax(config["max-connections"], openFilesMax()),
      maxPerAddress: config["max-connections-per-address"],
      maxStreams: streamsPerConnection(config),
      idleMs: config["keep-alive-timeout"],
      now,
      closed: (reason) => closed.inc({ reason }),
    });
    const aborted = abortCounter(metrics);
    const unread = new UnreadAnswers(aborted);
    const failedRequest = (response: ApiResponse, error: unknown) => {
      this.failures.tell("listener", error);
      response.destroy();
    };
    const active = activeRequests(deps, { aborted, unread, connections, failed: failedRequest });
    this.connections = connections;
    this.active = active;
    this.inFlight = deps.inFlight;
    this.figures = new LoadFigures({ metrics, connections, active, unread, bodies: this.bodies });
  }

  start(): void {
    this.inFlight.start();
    this.figures.start();
  }

  stop(): void {
    this.active.close();
    this.inFlight.close();
    this.figures.stop();
  }

  /**
   * Handles an uncaught error. An error of one connection ends that connection.
   * @returns false when the error belongs to no connection: the state of the process is then unknown
   */
  contain(error: unknown): boolean {
    const connection = workedFor((candidate) => this.connections.find(candidate) ?? connectionOf(candidate));
    if (connection !== undefined) {
      this.failures.tell("uncaught", error, { address: connection.address });
      connection.close("failure");
      return true;
    }
    if (!isOfOneRequest(error)) return false;
    this.failures.tell("rejection", error);
    return true;
  }
}

/**
 * The number that HTTP/2 clients assume before they receive the settings: one connection cannot bring more work at
 * once.
 */
const STREAMS_PER_CONNECTION = 100;

/** Maximum number of concurrent streams per HTTP/2 connection. */
export const streamsPerConnection = (config: ServerConfig): number =>
  config["http2-max-streams-per-connection"] || STREAMS_PER_CONNECTION;

const now = () => performance.now();

/** Returns the connection of a request, also when most of the request is released. */
function connectionOf(candidate: object): Connection | undefined {
  const { context } = candidate as { readonly context?: unknown };
  return context instanceof RequestContext ? context.connection : undefined;
}

/** Whether an error can only come from one request or stream, and does not affect the rest of the process. */
function isOfOneRequest(error: unknown): boolean {
  if (error instanceof StatusError || error instanceof ClientGoneError) return true;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === "string" && OF_STREAMS.test(code);
}

const OF_STREAMS =
  /^(ECONN(RESET|ABORTED|REFUSED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTCONN|HPE_.*|ERR_(STREAM|HTTP|HTTP2|SSL|TLS)_.*)$/;

function abortCounter(metrics: ServerMetrics): (response: ApiResponse) => void {
  const aborts = metrics.counter("apiserver_request_aborts_total");
  return ({ req }) => {
    const { component: _, ...place } = placeLabels(req.method ?? "", req.context);
    aborts.inc(place);
  };
}

function activeRequests(
  { config, metrics }: ConnectionLimitsDeps,
  {
    connections,
    ...looked
  }: {
    readonly connections: OpenConnections;
    readonly unread: UnreadAnswers;
    readonly aborted: (response: ApiResponse) => void;
    readonly failed: (response: ApiResponse, error: unknown) => void;
  },
): ActiveRequests {
  const terminations = metrics.counter("apiserver_request_terminations_total");
  const open = [metrics.gauge("apiserver_longrunning_gauge"), metrics.gauge("apiserver_longrunning_requests")];
  return new ActiveRequests({
    requestTimeoutMs: config["request-timeout"],
    ...looked,
    timedOut: ({ req }) => terminations.inc({ ...placeLabels(req.method ?? "", req.context), code: "504" }),
    longRunning({ req }, change) {
      const labels = placeLabels(req.method ?? "", req.context);
      for (const gauge of open) gauge.inc(labels, change);
      // The request is proxied over another connection.
      const { kind } = req.context.info;
      if (kind === "connection" || kind === "remote") connections.outgoing += change;
    },
  });
}
