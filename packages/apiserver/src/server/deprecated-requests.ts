// Requests for deprecated versions: the client is warned, the operator sees it in the metrics. Source: resource-api, "Errors" and
// "Versioning".
import type { Route } from "../handlers/resource-route";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { RequestContext } from "../pipeline/request-context";

export class DeprecatedRequests {
  private readonly seen = new Set<string>();

  constructor(private readonly metrics: ServerMetrics) {}

  requested(context: RequestContext, route: Route): void {
    if (route.deprecation === undefined) return;
    context.warn(route.deprecation.warning);
    if (this.seen.has(route.path)) return;
    this.seen.add(route.path);
    const { group, version } = route.version;
    this.metrics.gauge("apiserver_requested_deprecated_apis").set(
      {
        group,
        version,
        resource: route.definition.plural,
        subresource: route.subresource?.name ?? "",
        removed_release: route.deprecation.removedRelease,
      },
      1,
    );
  }
}
