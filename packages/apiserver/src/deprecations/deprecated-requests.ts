// Handles requests for deprecated versions: the client gets a warning, metrics and audit annotations are recorded, and
// the deprecation report lists the clients. Source: Kubernetes documentation, "Kubernetes Deprecation Policy"; KEP-1693
// (Warnings).

import type { ServerMetrics } from "@orch/observability";
import type { RequestContext, Route } from "@orch/request";
import type { Vocabulary } from "@orch/schema";

/** A program of a user that requested a deprecated version. */
interface DeprecatedClient {
  readonly userAgent: string;
  readonly user: string;
  readonly requests: number;
  /** RFC 3339 in UTC. */
  readonly lastRequest: string;
}

export interface DeprecatedRoute {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
  /** Replacement as named in warnings; "" for none. */
  readonly replacement: string;
  /** Sorted by time, the most recent last. */
  readonly clients: readonly DeprecatedClient[];
}

export interface Requester {
  readonly userAgent: string;
  /** Whether a page of this server sent the request. */
  readonly isOwnPage: boolean;
}

/** Maximum number of clients per route. The client with the oldest request is dropped. */
const CLIENTS_PER_ROUTE = 200;

interface Seen {
  readonly route: Route;
  readonly clients: Map<string, { userAgent: string; user: string; requests: number; lastMs: number }>;
}

export class DeprecatedRequests {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly metrics: ServerMetrics,
    private readonly vocabulary: Vocabulary,
    private readonly nowMs: () => number = Date.now,
  ) {}

  requested(context: RequestContext, route: Route, { userAgent, isOwnPage }: Requester): void {
    const { deprecation } = route;
    if (deprecation === undefined) return;
    const { auditAnnotations } = this.vocabulary;
    context.warn(deprecation.warning);
    context.annotate(auditAnnotations.deprecated, "true");
    if (deprecation.removedRelease !== "") {
      context.annotate(auditAnnotations.removedRelease, deprecation.removedRelease);
    }
    // The pages of the server are replaced with it, and are no clients that somebody must change.
    if (isOwnPage) return;
    let seen = this.seen.get(route.path);
    if (seen === undefined) {
      seen = { route, clients: new Map() };
      this.seen.set(route.path, seen);
      this.metrics.gauge("apiserver_requested_deprecated_apis").set(labelsOf(route), 1);
    }
    const { name } = context.user;
    // The controller manager follows every kind, and its requests for a version without a replacement cannot be
    // changed.
    if (name === this.vocabulary.users.controllerManager && !hasReplacement(route)) return;
    this.note(seen, userAgent, name);
  }

  /** Deprecated requests since the start of this server, by path. */
  report(): readonly DeprecatedRoute[] {
    const asked = [...this.seen.values()].filter(({ clients }) => clients.size > 0);
    return asked.map(({ route, clients }) => {
      const { removed_release: removedRelease, ...labels } = labelsOf(route);
      return {
        ...labels,
        removedRelease,
        replacement: route.version.lifecycle?.replacement ?? "",
        clients: [...clients.values()].map(({ lastMs, ...client }) => ({
          ...client,
          lastRequest: new Date(lastMs).toISOString(),
        })),
      };
    });
  }

  /** @param isGone whether the route of a path is no longer served */
  forget(isGone: (route: string) => boolean): void {
    for (const path of this.seen.keys()) if (isGone(path)) this.seen.delete(path);
  }

  private note({ clients }: Seen, userAgent: string, user: string): void {
    const key = `${user}\n${userAgent}`;
    const client = clients.get(key) ?? { userAgent, user, requests: 0, lastMs: 0 };
    clients.delete(key);
    client.requests += 1;
    client.lastMs = this.nowMs();
    clients.set(key, client);
    if (clients.size <= CLIENTS_PER_ROUTE) return;
    const [longestAgo] = clients.keys();
    clients.delete(longestAgo as string);
  }
}

const hasReplacement = ({ version: { lifecycle } }: Route): boolean => (lifecycle?.replacement ?? "") !== "";

function labelsOf({ version, definition, subresource, deprecation }: Route) {
  return {
    group: version.group,
    version: version.version,
    resource: definition.plural,
    subresource: subresource?.name ?? "",
    removed_release: deprecation?.removedRelease ?? "",
  };
}
