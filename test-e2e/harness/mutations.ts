// Valid requests, and random damage to them: in path, query, headers, method and body.
import { configMap } from "./config-maps";
import type { Random } from "./random";

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const NAMESPACE = "/api/v1/namespaces/default";
const JSON_BODY = { "content-type": "application/json" };
const labels = { app: "web", tier: "front" };

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "web", image: "nginx", ports: [{ containerPort: 80 }] }] },
    },
  },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }] },
};
const role = {
  apiVersion: "rbac.authorization.orch.io/v1",
  kind: "Role",
  metadata: { name: "reader" },
  rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
};
const deleteOptions = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid: "1" } };

const request = (
  method: string,
  path: string,
  body?: object,
  query: Readonly<Record<string, string>> = {},
): PlainRequest => ({
  method,
  path,
  query,
  headers: body === undefined ? { accept: "application/json" } : JSON_BODY,
  body: body === undefined ? "" : JSON.stringify(body),
});

/** One of each shape that clients send. */
export const VALID_REQUESTS: readonly PlainRequest[] = [
  request(
    "POST",
    `${NAMESPACE}/configmaps`,
    configMap("mutated", { key: "value", other: "žluťoučký kůň" }, { labels }),
  ),
  request("PUT", `${NAMESPACE}/configmaps/mutated`, configMap("mutated", { key: "value" }, { resourceVersion: "1" })),
  request("POST", "/apis/apps/v1/namespaces/default/deployments", deployment, { dryRun: "All", fieldManager: "me" }),
  request("POST", `${NAMESPACE}/services`, service),
  request("POST", "/apis/rbac.authorization.orch.io/v1/namespaces/default/roles", role),
  request("DELETE", `${NAMESPACE}/configmaps/mutated`, deleteOptions, { propagationPolicy: "Background" }),
  request("GET", `${NAMESPACE}/configmaps/mutated`, undefined, { resourceVersion: "0" }),
  request("GET", `${NAMESPACE}/configmaps`, undefined, { labelSelector: "app=web,tier in (front,back)", limit: "5" }),
  request("GET", "/api/v1/configmaps", undefined, {
    fieldSelector: "metadata.name=mutated",
    resourceVersion: "1",
    limit: "3",
  }),
  request("GET", `${NAMESPACE}/configmaps`, undefined, { resourceVersion: "1", resourceVersionMatch: "Exact" }),
  request("GET", `${NAMESPACE}/configmaps`, undefined, {
    watch: "1",
    timeoutSeconds: "1",
    allowWatchBookmarks: "true",
  }),
  request("GET", "/apis/apps/v1"),
  request("GET", "/readyz", undefined, { verbose: "", exclude: "ping" }),
];

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
// biome-ignore format: one line says as much
const ODD_VALUES: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 1e308, 2 ** 63, "", " ", "\u0000", "\ud800", "a".repeat(70_000), "../..", "%00", [], {}, [[]], [null],
  { "": "" }, { __proto__: null, constructor: {} }, [1, "a", {}], "2024-13-45T99:00:00Z", "9223372036854775808", "-0", "NaN",
];
const ODD_TEXTS = [
  "",
  "0",
  "-1",
  "1e9",
  "999999999999",
  "18446744073709551616",
  "true",
  "nope",
  "%",
  "%zz",
  "a=b=c",
  "a in (",
  "!",
  "\\",
  ",,,",
  "=",
  "..",
  "eyJ2IjoibWV0YSJ9",
];
const ODD_TYPES = [
  "text/plain",
  "application/yaml",
  "application/json; charset=utf-7",
  "application/vnd.orch.protobuf",
  "",
  "application/merge-patch+json",
  "*/*;q=x",
  "application/json;as=Table;v=v1;g=meta.orch.io",
];

/** Returns a copy with one to three kinds of damage. */
export function mutated(random: Random, valid: PlainRequest): PlainRequest {
  let request = valid;
  for (let count = 1 + random.below(3); count > 0; count -= 1) request = damaged(random, request);
  return request;
}

function damaged(random: Random, request: PlainRequest): PlainRequest {
  switch (random.below(8)) {
    case 0:
      return { ...request, method: random.pick(METHODS) };
    case 1:
      return { ...request, path: mutatedText(random, request.path).replace(/[^!-~]|[?#]/g, "/") };
    case 2:
      return { ...request, query: { ...request.query, [oddParameter(random, request)]: random.pick(ODD_TEXTS) } };
    case 3:
      return {
        ...request,
        headers: {
          ...request.headers,
          [random.pick(["content-type", "accept", "authorization", "impersonate-user", "accept-encoding"])]:
            random.pick(ODD_TYPES),
        },
      };
    case 4:
    case 5:
      return { ...request, body: mutatedText(random, request.body) };
    default:
      return { ...request, body: mutatedJson(random, request.body) };
  }
}

function oddParameter(random: Random, request: PlainRequest): string {
  const known = [
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "timeoutSeconds",
    "dryRun",
    "pretty",
    "fieldManager",
    "gracePeriodSeconds",
  ];
  return random.pick([...Object.keys(request.query), ...known]);
}

/** Cuts, duplicates, replaces or inverts some characters. */
export function mutatedText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + 1 + random.below(12));
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(end);
    case 2:
      return text.slice(0, end) + text.slice(at);
    case 3:
      return text.slice(0, at) + String.fromCharCode(random.below(0x250)) + text.slice(end);
    default:
      return text.slice(0, at) + random.pick(ODD_TEXTS) + text.slice(at);
  }
}

/** Puts an unusual value, or the value of another field, somewhere in the JSON. Other text is unchanged. */
function mutatedJson(random: Random, text: string): string {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return text;
  }
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      places.push({ holder: value as Record<string, unknown>, key });
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  if (places.length === 0) return JSON.stringify(random.pick(ODD_VALUES)) ?? "null";
  const place = random.pick(places);
  const other = random.pick(places);
  switch (random.below(4)) {
    case 0:
      delete place.holder[place.key];
      break;
    case 1:
      place.holder[place.key] = structuredClone(other.holder[other.key]);
      break;
    case 2:
      place.holder[random.pick(ODD_TEXTS)] = random.pick(ODD_VALUES);
      break;
    default:
      place.holder[place.key] = random.pick(ODD_VALUES);
  }
  return JSON.stringify(root);
}
