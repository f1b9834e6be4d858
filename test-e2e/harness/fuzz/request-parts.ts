// Targets, headers and bodies of requests in both protocols.
import type { Random } from "../random";

/** Token of a user with all permissions in one namespace and read access elsewhere. */
export const TOKEN = "viewer-token";
export const NAMESPACE = "fuzzed";

const OWN = `/api/v1/namespaces/${NAMESPACE}`;

export const PATHS: readonly string[] = [
  "/version",
  "/livez",
  "/readyz",
  "/readyz/ping",
  "/healthz",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps/v1",
  "/",
  "/metrics",
  "/nothing",
  `${OWN}/configmaps`,
  `${OWN}/configmaps/a`,
  `${OWN}/configmaps/b`,
  `${OWN}/pods/a/log`,
  `${OWN}/pods/a/exec`,
  `${OWN}/pods/a/proxy/x`,
  `${OWN}/services/a/proxy/`,
  `/api/v1/watch/namespaces/${NAMESPACE}/configmaps`,
  "/api/v1/namespaces",
  "/api/v1/nodes/a/proxy/",
  `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/a/scale`,
  "/apis/authorization.orch.io/v1/selfsubjectaccessreviews",
];

// biome-ignore format: one line says as much
export const ODD_TARGETS: readonly string[] = [
  "http://?", "http://", "http://[::1", "http://h/version", "https://h?a=b", "*", "", "host:443", "//", "///", "/..", "/%", "/%00", "/%2e%2e/", "/api/v1/%ff", "/#", "/?",
  "/version#a", "?", "#", "/api//v1", "/api/v1/namespaces//configmaps", "/\\", "/;a=b", "urn:x", "javascript:x", "/api/v1/namespaces/%2e%2e/configmaps", "http:///version", "http:/version",
  "/apis/apps%2Fv1/deployments", "/docs/../..", "/docs/%2e%2e/%2e%2e/etc/passwd", "/openapi/v3/../x", "/debug/pprof/", "/readyz/../metrics",
];

// biome-ignore format: one line says as much
const QUERIES: readonly string[] = [
  "", "", "", "", "limit=2", "limit=x", "watch=1&timeoutSeconds=1", "watch=1&resourceVersion=0&timeoutSeconds=1", "resourceVersion=0", "resourceVersion=1&resourceVersionMatch=Exact",
  "labelSelector=a%20in%20(b,c)", "labelSelector=%00", "fieldSelector=metadata.name%3Da", "continue=x", "dryRun=All", "fieldManager=f", "fieldManager=f&force=1", "pretty=1", "timeout=1ms",
  "verbose", "exclude=ping&exclude=%ff", "command=ls&stdin=1", "propagationPolicy=Foreground", "%", "a=b&a=c&&&", "=",
];

export function pathOf(random: Random): string {
  const query = random.pick(QUERIES);
  return query === "" ? random.pick(PATHS) : `${random.pick(PATHS)}?${query}`;
}

/** Text of few or of many distinct characters. */
export function oddText(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return "";
    case 1:
      return random.bytes(1 + random.below(12)).toString("latin1");
    case 2:
      return "a".repeat(1 << random.below(17));
    case 3:
      return random.pick(["%", "%zz", "%00", "..", "\\", "'", '"', "<>", "{}", "\x7f", "é", "\u{ff}", "\t", " "]);
    case 4:
      return `${random.below(1000)}`;
    default:
      return "/".repeat(1 << random.below(12));
  }
}

/** Objects with few names, so that lists stay short. */
const OBJECTS = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", labels: { a: "b" } } },
  { metadata: { labels: { a: "b" } }, data: { c: null } },
  { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec: { replicas: 1 } },
  { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 },
  [{ op: "add", path: "/data/x", value: "y" }],
] as const;

export function requestBody(random: Random): Buffer {
  if (random.chance(0.1)) return random.bytes(random.below(200));
  const text = JSON.stringify(random.pick(OBJECTS));
  if (random.chance(0.8)) return Buffer.from(text);
  const at = random.below(text.length);
  return Buffer.from(text.slice(0, at) + oddText(random) + text.slice(at));
}
