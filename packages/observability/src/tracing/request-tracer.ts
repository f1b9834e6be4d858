// The traces of requests, as the pipeline records them. Source: Kubernetes KEP-647, "API Server Tracing".

import type { SpanAttributes, TraceSpan } from "@orch/platform";

/** A request as its trace shows it. */
export interface TracedRequest {
  /** Milliseconds of `performance.now()`. */
  readonly startMs: number;
  /** Value of the request's `traceparent` header. */
  readonly parent: string | undefined;
  /** Value of the request's `tracestate` header. */
  readonly state: string | undefined;
  /** Returns whether the parent decides about sampling. The trace of another client is only linked. */
  isTrusted(): boolean;
  /** Called only for a recorded span. */
  describe(): { readonly name: string; readonly attributes: SpanAttributes };
}

export interface RequestTracer {
  /** Starts the span of a request. @returns undefined when there is neither a trace nor a parent to pass on */
  begin(request: TracedRequest): TraceSpan | undefined;
  /** Exports the recorded spans, as far as the collector accepts them in time. */
  close(): Promise<void>;
}
