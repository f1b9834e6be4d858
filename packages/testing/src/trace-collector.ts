// A collector of traces: an OTLP receiver over gRPC that keeps the spans. Source: OpenTelemetry Protocol 1.3, "OTLP/gRPC".

import type { Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";

export interface CollectedSpan {
  readonly name: string;
  /** Hexadecimal; "" for the parent of a root. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  /** 1 for internal spans, 2 for spans of a server. */
  readonly kind: number;
  readonly startNanos: number;
  readonly endNanos: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  /** Trace ids of linked spans. */
  readonly links: readonly string[];
  /** 2 for a failed operation. */
  readonly status: number;
  readonly service: string;
}

/** The fields of OTLP that the collector reads, by their numbers. */
const MESSAGES = {
  Request: { resourceSpans: [1, "Resources", "repeated"] },
  Answer: {},
  Resources: { resource: [1, "Resource"], scopeSpans: [2, "Scopes", "repeated"] },
  Resource: { attributes: [1, "Attribute", "repeated"] },
  Scopes: { spans: [2, "Span", "repeated"] },
  Span: {
    traceId: [1, "bytes"],
    spanId: [2, "bytes"],
    parentSpanId: [4, "bytes"],
    name: [5, "string"],
    kind: [6, "int32"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, "Attribute", "repeated"],
    events: [11, "Event", "repeated"],
    links: [13, "Link", "repeated"],
    status: [15, "Status"],
  },
  Event: { name: [2, "string"] },
  Link: { traceId: [1, "bytes"] },
  Status: { code: [3, "int32"] },
  Attribute: { key: [1, "string"], value: [2, "Value"] },
  Value: { stringValue: [1, "string"], boolValue: [2, "bool"], intValue: [3, "int64"], doubleValue: [4, "double"] },
} as const;
const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

type Fields = Readonly<Record<string, readonly [id: number, type: string, rule?: string]>>;
type Value = Readonly<Record<string, string | number | boolean>>;
type Attribute = { readonly key: string; readonly value?: Value };
type Bytes = { readonly traceId?: string };
interface SentSpan extends Bytes {
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: readonly Attribute[];
  readonly events?: readonly { readonly name: string }[];
  readonly links?: readonly Bytes[];
  readonly status?: { readonly code?: number };
}
interface SentRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly SentSpan[] }[];
  }[];
}

export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Whether exports are received without an answer. */
  hangs = false;

  private constructor(
    private readonly server: Server,
    /** `127.0.0.1:<port>` */
    readonly endpoint: string,
  ) {}

  static async open(): Promise<TraceCollector> {
    const { Server: GrpcServer, ServerCredentials } = require("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
    const decode = decoder();
    const server = new GrpcServer();
    const definition = {
      path: PATH,
      ...{ requestStream: false, responseStream: false },
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: decode,
      responseSerialize: () => Buffer.alloc(0),
      responseDeserialize: () => ({}),
    };
    const handler = (call: ServerUnaryCall<SentRequest, object>, answer: sendUnaryData<object>) => {
      made.spans.push(...spansOf(call.request));
      if (!made.hangs) answer(null, {});
    };
    server.addService({ Export: definition }, { Export: handler });
    const port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, at: number) => (error ? reject(error) : resolve(at));
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
    });
    const made = new TraceCollector(server, `127.0.0.1:${port}`);
    return made;
  }

  /** Returns the spans of a trace as a tree of names: `[name, ...children]`, by their start. */
  tree({ traceId, spanId, name }: CollectedSpan): SpanTree {
    const children = this.spans
      .filter((span) => span.traceId === traceId && span.parentId === spanId)
      .sort((one, other) => one.startNanos - other.startNanos);
    return [name, ...children.map((child) => this.tree(child))];
  }

  close(): void {
    this.server.forceShutdown();
  }
}

type SpanTree = readonly [name: string, ...children: SpanTree[]];

function decoder(): (bytes: Buffer) => SentRequest {
  const protobuf = require("protobufjs") as typeof import("protobufjs");
  const nested = Object.fromEntries(
    Object.entries(MESSAGES as Readonly<Record<string, Fields>>).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, [id, type, rule]]) => [field, { id, type, ...(rule && { rule }) }]),
        ),
      },
    ]),
  );
  const type = protobuf.Root.fromJSON({ nested }).lookupType("Request");
  return (bytes) => type.toObject(type.decode(bytes), { bytes: String, longs: String }) as SentRequest;
}

function spansOf({ resourceSpans = [] }: SentRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = attributesOf(resource?.attributes)["service.name"] ?? "";
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => collected(span, service)));
  });
}

const collected = (span: SentSpan, service: string): CollectedSpan => ({
  name: span.name ?? "",
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  parentId: hex(span.parentSpanId),
  kind: span.kind ?? 0,
  startNanos: Number(span.startTimeUnixNano),
  endNanos: Number(span.endTimeUnixNano),
  attributes: attributesOf(span.attributes),
  events: (span.events ?? []).map(({ name }) => name),
  links: (span.links ?? []).map(({ traceId }) => hex(traceId)),
  status: span.status?.code ?? 0,
  service,
});

const attributesOf = (list: readonly Attribute[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(list.map(({ key, value = {} }) => [key, String(Object.values(value)[0] ?? "")]));

const hex = (base64 = ""): string => Buffer.from(base64, "base64").toString("hex");
