// Gauges of current load, such as open connections and requests, refreshed once a second.
import type { BodyBudget, OpenConnections } from "@orch/http-server";
import type { ServerMetrics } from "@orch/observability";
import type { ActiveRequests } from "../pipeline/active-requests";
import type { UnreadAnswers } from "../pipeline/unread-answers";

export interface LoadFiguresDeps {
  readonly metrics: ServerMetrics;
  readonly connections: OpenConnections;
  readonly active: ActiveRequests;
  readonly unread: UnreadAnswers;
  readonly bodies: BodyBudget;
}

const EVERY_MS = 1000;

export class LoadFigures {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: LoadFiguresDeps) {}

  start(): void {
    const { metrics, connections, active, unread, bodies } = this.deps;
    const rows = [
      [metrics.gauge("apiserver_connections"), () => connections.size],
      [metrics.gauge("apiserver_open_requests"), () => active.size],
      [metrics.gauge("apiserver_unread_bytes"), () => unread.bytes],
      [metrics.gauge("apiserver_request_body_bytes"), () => bodies.bytes],
    ] as const;
    this.timer = setInterval(() => {
      for (const [gauge, figure] of rows) gauge.set(figure());
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
