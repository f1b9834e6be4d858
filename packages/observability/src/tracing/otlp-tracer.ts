// Samples traces and exports them with OTLP over gRPC. Sources: staging/src/k8s.io/component-base/tracing/tracing.go;
// W3C Trace Context, "Traceparent Header".
import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { RareLine } from "@orch/http-server";
import { messageOf, type SpanAttributes, type TraceSpan } from "@orch/platform";
import type { TracingConfiguration } from "@orch/server-config";
import type { RequestTracer, TracedRequest } from "./request-tracer";

/** Limits of the spans that wait for the collector, as in Kubernetes. Further spans are dropped. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000, exportTimeoutMillis: 10_000 };
const SEND_TIMEOUT_MS = 10_000;
/** Time for the last export when the server stops. */
const CLOSE_MS = 2000;
/** Limits what client input, such as URLs and user agents, can take of memory. */
const SPAN_LIMITS = { attributeValueLengthLimit: 2048, eventCountLimit: 128 };
const TRACE_STATE_MAX_LENGTH = 512;
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export class OtlpTracer implements RequestTracer {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly ratio: number;
  private readonly exporter: OTLPTraceExporter;

  /** @param failed called for failed exports, at most once a minute */
  constructor(
    { endpoint, ratio }: TracingConfiguration,
    instance: string,
    failed: (error: unknown) => void,
    private readonly chance = Math.random,
  ) {
    this.ratio = ratio;
    reportFailures(failed);
    this.exporter = new OTLPTraceExporter({ url: urlOf(endpoint), timeoutMillis: SEND_TIMEOUT_MS });
    // Connects at the start. The library loads gRPC, 35 ms of CPU, at the first export: it would delay requests later.
    this.exporter.export([], () => {});
    this.provider = new TracerProvider({
      // The tracer has decided about roots before it asks the library.
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      resource: resourceFromAttributes({ "service.name": "apiserver", "service.instance.id": instance }),
      spanProcessors: [new BatchSpanProcessor({ exporter: this.exporter, ...QUEUE })],
      spanLimits: SPAN_LIMITS,
    });
    this.tracer = this.provider.getTracer("KubernetesAPI");
  }

  begin({ startMs, parent, state, isTrusted, describe }: TracedRequest): TraceSpan | undefined {
    const remote = parent === undefined ? undefined : remoteContext(parent, state);
    const followed = remote !== undefined && isTrusted() ? remote : undefined;
    // Nearly all requests end here: the library would take several times as long to decide.
    if (followed === undefined && !(this.chance() < this.ratio))
      return this.ratio > 0 ? new UnrecordedSpan(undefined) : undefined;
    const context = followed === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, followed);
    const links = remote === undefined || followed !== undefined ? [] : [{ context: remote }];
    const clock = new TraceClock();
    const options = { kind: SpanKind.SERVER, startTime: clock.at(startMs), links };
    const span = this.tracer.startSpan("HTTP", options, context);
    if (!span.isRecording()) return new UnrecordedSpan(span.spanContext());
    const { name, attributes } = describe();
    span.updateName(name);
    span.setAttributes(attributes);
    return new RecordedSpan(this.tracer, clock, span, context);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.provider.shutdown().catch(() => {}), late]);
    clearTimeout(timer);
    // The library keeps the connection open when the last export failed.
    void this.exporter.shutdown().catch(() => {});
  }
}

/** Returns the endpoint as the exporter takes it: a connection without TLS. */
function urlOf(endpoint: string): string {
  const [, scheme = "dns", rest = endpoint] = /^([a-z-]+):\/\/(.*)$/s.exec(endpoint) ?? [];
  if (scheme === "dns") return `http://${rest.replace(/^\/+/, "")}`;
  return `unix:${scheme === "unix-abstract" ? "\0" : ""}${rest}`;
}

/** The library reports failed exports and dropped spans to the logger of the process. */
function reportFailures(failed: (error: unknown) => void): void {
  const line = new RareLine(() => performance.now());
  const tell = (error: unknown): void => {
    if (line.due() !== undefined) failed(error);
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function remoteContext(parent: string, state: string | undefined): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACE_PARENT.exec(parent) ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  if (!trace.isSpanContextValid(context)) return undefined;
  if (state === undefined || state === "" || state.length > TRACE_STATE_MAX_LENGTH) return context;
  return { ...context, traceState: createTraceState(state) };
}

function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  const tracestate = traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/** The clock of one trace. The library itself reads the time of a span in milliseconds only. */
class TraceClock {
  private readonly offsetMs = Date.now() - performance.now();

  at(ms = performance.now()): HrTime {
    const epochMs = this.offsetMs + ms;
    const seconds = Math.floor(epochMs / 1000);
    return [seconds, Math.floor((epochMs - seconds * 1000) * 1e6)];
  }
}

class RecordedSpan implements TraceSpan {
  readonly isRecorded = true;
  private inner: Context | undefined;

  constructor(
    private readonly tracer: Tracer,
    private readonly clock: TraceClock,
    private readonly span: Span,
    private readonly outer: Context,
  ) {}

  child(name: string, attributes: SpanAttributes = {}, startMs?: number): TraceSpan {
    this.inner ??= trace.setSpan(this.outer, this.span);
    const options = { attributes, startTime: this.clock.at(startMs) };
    return new RecordedSpan(this.tracer, this.clock, this.tracer.startSpan(name, options, this.inner), this.inner);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  event(name: string): void {
    this.span.addEvent(name, this.clock.at());
  }

  end(error?: unknown, endMs?: number): void {
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
    this.span.end(this.clock.at(endMs));
  }

  headers(): Readonly<Record<string, string>> {
    return headersOf(this.span.spanContext());
  }
}

const IDS = new RandomIdGenerator();

/** Passes on the decision not to sample. */
class UnrecordedSpan implements TraceSpan {
  readonly isRecorded = false;

  /** @param context undefined: a new trace */
  constructor(private context: SpanContext | undefined) {}

  child(): TraceSpan {
    return this;
  }

  set(): void {}

  event(): void {}

  end(): void {}

  headers(): Readonly<Record<string, string>> {
    this.context ??= {
      traceId: IDS.generateTraceId(),
      spanId: IDS.generateSpanId(),
      traceFlags: TraceFlags.NONE,
    };
    return headersOf(this.context);
  }
}
