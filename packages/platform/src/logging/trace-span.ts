// Spans of distributed traces, as the parts of a request record them. Sources: W3C Trace Context; Kubernetes KEP-647.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One timed operation of a trace. Times are milliseconds of `performance.now()`; absent: now. */
export interface TraceSpan {
  /** Whether the trace is exported. The methods of other spans have no effect. */
  readonly isRecorded: boolean;
  child(name: string, attributes?: SpanAttributes, startMs?: number): TraceSpan;
  set(attributes: SpanAttributes): void;
  event(name: string): void;
  /** Ends the span. @param error the operation failed with it; absent: it succeeded */
  end(error?: unknown, endMs?: number): void;
  /** Returns the headers that make a called server continue the trace. */
  headers(): Readonly<Record<string, string>>;
}

/** Ends a span with the outcome of the work. Stays synchronous when the work is. */
export function spanning<Result>(span: TraceSpan, work: () => Result | Promise<Result>): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = work();
  } catch (error) {
    span.end(error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  return result.then(
    (late) => {
      span.end();
      return late;
    },
    (error) => {
      span.end(error);
      throw error;
    },
  );
}
