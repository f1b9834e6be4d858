// Metrics of the token cache. Source: staging/src/k8s.io/apiserver/pkg/authentication/token/cache/stats.go.
import type { TokenCacheObserver } from "@orch/auth";
import type { ServerMetrics } from "./server-metrics";

export function tokenCacheFigures(metrics: ServerMetrics): TokenCacheObserver {
  const requests = metrics.counter("authentication_token_cache_request_total");
  const seconds = metrics.histogram("authentication_token_cache_request_duration_seconds");
  const fetches = metrics.counter("authentication_token_cache_fetch_total");
  const active = metrics.gauge("authentication_token_cache_active_fetch_count");
  const asked = {
    hit: { count: requests.labels("hit"), seconds: seconds.labels({ status: "hit" }) },
    miss: { count: requests.labels("miss"), seconds: seconds.labels({ status: "miss" }) },
  };
  const fetched = { ok: fetches.labels("ok"), error: fetches.labels("error") };
  return {
    asked(status, tookMs) {
      asked[status].count.inc();
      asked[status].seconds.observe(tookMs / 1000);
    },
    fetched: (status) => fetched[status].inc(),
    fetching: (status, by) => active.inc({ status }, by),
  };
}
