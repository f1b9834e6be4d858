// Request metrics, recorded when a request ends. The label set of an API location is resolved once and then found by
// one key.

import type { ServerMetrics } from "@orch/observability";
import type { RequestContext, RequestInfo } from "@orch/request";

/** Labels of one finished request; "" where a label does not apply. */
interface Labels {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
}

interface Children {
  count(): void;
  seconds(value: number): void;
  /** Latency without the time in queues; undefined for long-running requests and in releases without the metric. */
  ownSeconds: ((value: number) => void) | undefined;
  bytes: ((value: number) => void) | undefined;
  /** Size of the request's body; undefined for requests that write no object. */
  bodyBytes: ((value: number) => void) | undefined;
}

const METHODS: Readonly<Record<string, string>> = {
  GET: "GET",
  HEAD: "GET",
  POST: "POST",
  PUT: "PUT",
  PATCH: "PATCH",
  DELETE: "DELETE",
};
/** Values of the label `verb` of {@link BODY_BYTES}, by verb of a request. */
const WRITES: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", APPLY: "patch" };
const BODY_BYTES = "apiserver_request_body_size_bytes";
const COMPONENT = "apiserver";
const READING = new Set(["GET", "LIST"]);
const LONG_RUNNING = new Set(["WATCH", "CONNECT"]);
/** The same metric under its present name and its former one. */
const OWN_SECONDS = ["apiserver_request_sli_duration_seconds", "apiserver_request_slo_duration_seconds"] as const;

export class RequestRecords {
  private readonly children = new Map<string, Children>();

  constructor(private readonly metrics: ServerMetrics) {}

  /** Records a finished request. @param contentType of the answer, "" when it has none */
  finished(method: string, context: RequestContext, code: number, contentType: string, nowMs: number): void {
    const { info } = context;
    const verb = metricVerb(method, context);
    const scope = metricScope(info, verb);
    const path = info.route === undefined ? (context.servedPath ?? "") : "";
    const key = `${verb}|${scope}|${code}|${contentType}|${context.dryRun}|${path}|${info.route?.path ?? ""}`;
    let children = this.children.get(key);
    if (children === undefined) {
      const labels = { verb, dry_run: context.dryRun, ...resourceLabels(info, path), scope };
      children = this.resolve(labels, code, contentType);
      this.children.set(key, children);
    }
    children.count();
    const tookMs = nowMs - context.receivedAt;
    children.seconds(tookMs / 1000);
    children.ownSeconds?.((tookMs - context.queuedMs) / 1000);
    children.bytes?.(context.responseBytes);
    children.bodyBytes?.(context.body.length);
  }

  /** Removes series. @param isGone tells whether a route path is not served any more */
  forget(isGone: (route: string) => boolean): void {
    for (const key of this.children.keys()) if (isGone(key.slice(key.lastIndexOf("|") + 1))) this.children.delete(key);
  }

  private resolve(labels: Labels, code: number, contentType: string): Children {
    const { dry_run: _, ...place } = labels;
    const total = this.metrics.counter("apiserver_request_total").labels(
      this.metrics.labelsFor("apiserver_request_total", labels, {
        ...labels,
        component: COMPONENT,
        contentType: contentTypeLabel(contentType),
        code: String(code),
      }),
    );
    const duration = this.metrics
      .histogram("apiserver_request_duration_seconds")
      .labels({ ...labels, component: COMPONENT });
    const sizes = READING.has(labels.verb)
      ? this.metrics.histogram("apiserver_response_sizes").labels({ ...place, component: COMPONENT })
      : undefined;
    const own = OWN_SECONDS.filter((name) => this.metrics.serves(name) && !LONG_RUNNING.has(labels.verb)).map((name) =>
      this.metrics.histogram(name).labels({ ...place, component: COMPONENT }),
    );
    const [first, second] = own;
    const written = labels.resource === "" ? undefined : WRITES[labels.verb];
    const bodies =
      written === undefined ? undefined : this.metrics.histogram(BODY_BYTES).labels(this.bodyLabels(labels, written));
    return {
      ownSeconds:
        first &&
        ((value) => {
          first.observe(value);
          second?.observe(value);
        }),
      count: () => total.inc(),
      seconds: (value) => duration.observe(value),
      bytes: sizes === undefined ? undefined : (value) => sizes.observe(value),
      bodyBytes: bodies && ((value) => bodies.observe(value)),
    };
  }

  private bodyLabels = ({ group, resource }: Labels, verb: string): Readonly<Record<string, string>> =>
    this.metrics.labelsFor(BODY_BYTES, { group, resource }, { verb });
}

/**
 * Media types that have a label value of their own; "" for an answer without one. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go.
 */
const CONTENT_TYPES =
  /^(application\/(apply-patch\+yaml|cbor|cbor-seq|json|json-patch\+json|merge-patch\+json|strategic-merge-patch\+json|yaml|vnd\.[a-z]+\.protobuf(;stream=watch)?)|text\/plain(;charset=utf-8)?)?$/;

function contentTypeLabel(contentType: string): string {
  const label = contentType.replaceAll(" ", "").toLowerCase();
  return CONTENT_TYPES.test(label) ? label : "other";
}

/** Labels that describe the API location of a request. */
export function placeLabels(method: string, context: RequestContext): Readonly<Record<string, string>> {
  const { info } = context;
  const verb = metricVerb(method, context);
  return { verb, ...resourceLabels(info, ""), scope: metricScope(info, verb), component: COMPONENT };
}

/** Only known values become labels: clients may request any number of paths that do not exist. */
function resourceLabels(info: RequestInfo, path: string) {
  if (info.route === undefined) return { group: "", version: "", resource: "", subresource: path };
  const { group, version, resource, subresource } = info;
  return { group, version, resource, subresource };
}

/** Returns the HTTP method in upper case; collections have verbs of their own. */
function metricVerb(method: string, { info, applies }: RequestContext): string {
  if (info.route?.connection?.rules.connects) return "CONNECT";
  switch (info.verb) {
    case "list":
      return "LIST";
    case "watch":
      return "WATCH";
    case "deletecollection":
      return "DELETECOLLECTION";
    case "patch":
      return applies ? "APPLY" : "PATCH";
    default:
      return METHODS[method] ?? "other";
  }
}

function metricScope(info: RequestInfo, verb: string): string {
  if (info.route === undefined) return "";
  if (verb === "POST" || (info.name !== "" && verb !== "LIST" && verb !== "WATCH")) return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}
