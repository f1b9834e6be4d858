// Tracing steps: the span of a request, and that of its authentication. The span begins after authentication, because
// the user decides whether the client may choose which traces are sampled. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/filters/traces.go.

import { PRIVILEGED_GROUP } from "@orch/auth";
import type { RequestTracer } from "@orch/observability";
import type { SpanAttributes } from "@orch/platform";
import type { ApiRequest, ApiResponse, Middleware, RequestInfo } from "@orch/request";

const TRUSTED_GROUPS: readonly string[] = [PRIVILEGED_GROUP, "system:monitoring"];

/** Notes when authentication begins. */
export const beforeAuthentication: Middleware = (request, _response, next) => {
  request.context.authenticationMs = performance.now();
  next();
};

/** Follows the authentication step. */
export function requestTracing(tracer: RequestTracer): Middleware {
  function ended(this: ApiResponse): void {
    const { span, contentType } = this.req.context;
    span?.set({ "http.response.status_code": this.statusCode, "http.response.content_type": contentType });
    // A client error is no error of the server.
    span?.end(this.statusCode >= 500 ? new Error(`status ${this.statusCode}`) : undefined);
  }

  return (request, response, next) => {
    const { context, headers } = request;
    const span = tracer.begin({
      startMs: context.receivedAt,
      parent: single(headers["traceparent"]),
      state: single(headers["tracestate"]),
      isTrusted: () => context.user.groups.some((group) => TRUSTED_GROUPS.includes(group)),
      describe: () => ({ name: spanName(request), attributes: attributesOf(request) }),
    });
    if (span?.isRecorded) {
      span.child("authentication", {}, context.authenticationMs).end();
      response.on("close", ended);
    }
    context.span = span;
    next();
  };
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Names no objects, so that the names of spans are few. */
function spanName({ method = "", context }: ApiRequest): string {
  const { info } = context;
  return "resource" in info ? `${method} ${patternOf(info)}` : method;
}

function patternOf(info: Extract<RequestInfo, { readonly resource: string }>): string {
  const { group, version, namespace, resource, name, subresource } = info;
  const parts = [
    ...(group === "" ? ["api", version] : ["apis", group, version]),
    ...(namespace === "" ? [] : ["namespaces", "{:namespace}"]),
    resource,
    ...(name === "" ? [] : ["{:name}"]),
    ...(subresource === "" ? [] : [subresource]),
  ];
  return `/${parts.join("/")}`;
}

function attributesOf({ method = "", headers, httpVersion, socket, context }: ApiRequest): SpanAttributes {
  const { info } = context;
  return {
    "http.request.method": method,
    "http.target": context.target,
    "audit-id": context.id,
    "url.scheme": "https",
    "url.path": info.path,
    "server.address": context.host,
    "network.protocol.version": httpVersion,
    "client.address": socket?.remoteAddress ?? "",
    "user_agent.original": headers["user-agent"] ?? "",
    verb: info.verb,
  };
}
