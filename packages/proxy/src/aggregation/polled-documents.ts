// Polls one document of each aggregated API server and keeps it, so that no request waits for the server.
import {
  type BoundedAnswer,
  boundedGet,
  type ExtensionServers,
  identityHeaders,
  type Registrations,
  type RemoteRegistration,
  sameBackend,
} from "@orch/extensions";
import { errorFields, type Log, pauseMsAfter } from "@orch/platform";

export interface PolledDocumentsParts<Document> {
  /** Name of the document in the log. */
  readonly what: string;
  readonly registrations: Registrations;
  readonly servers: ExtensionServers;
  readonly logger: Log;
  /** Path of the document. */
  readonly path: (registration: RemoteRegistration) => string;
  readonly accept: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Interval after a success; failures extend it from `everyMs` to `maxMs`. */
  readonly everyMs: number;
  readonly maxMs: number;
  /** @param former document of the last answer. @throws Error for a document that cannot be read */
  readonly read: (
    answer: BoundedAnswer,
    registration: RemoteRegistration,
    signal: AbortSignal,
  ) => Document | Promise<Document>;
  readonly changed: () => void;
}

interface Polled<Document> {
  registration: RemoteRegistration;
  document: Document | undefined;
  /** ETag of the answer that the document was read from. */
  etag: string | undefined;
  /** Whether the last poll failed. */
  isStale: boolean;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  asking: AbortController | undefined;
}

/** User of the polling requests. Every user may read the polled documents. */
const USER = { name: "system:aggregator", groups: [] };
/** Delay of the first poll: a registration is often created together with its service. */
const SOON_MS = 50;
const AT_ONCE = 4;

export class PolledDocuments<Document> {
  private readonly polled = new Map<string, Polled<Document>>();
  private readonly due: (() => Promise<void>)[] = [];
  private working = 0;
  private closed = false;

  constructor(private readonly parts: PolledDocumentsParts<Document>) {
    parts.registrations.onChange((now, before) => {
      if (before !== undefined && (now === undefined || !sameBackend(now, before))) this.drop(before.name);
      if (now?.backend === undefined) return;
      const registration: RemoteRegistration = { ...now, backend: now.backend };
      const known = this.polled.get(now.name);
      const becameAvailable = now.condition?.status === "True" && before?.condition?.status !== "True";
      if (known === undefined) this.add(registration);
      else {
        known.registration = registration;
        if (becameAvailable) this.askIn(known, SOON_MS);
      }
    });
  }

  /** The last document, and whether it may be out of date; undefined: none was ever read. */
  of(name: string): { readonly document: Document; readonly isStale: boolean } | undefined {
    const { document, isStale = true } = this.polled.get(name) ?? {};
    return document === undefined ? undefined : { document, isStale };
  }

  close(): void {
    this.closed = true;
    for (const name of [...this.polled.keys()]) this.drop(name);
  }

  private add(registration: RemoteRegistration): void {
    const polled: Polled<Document> = {
      registration,
      document: undefined,
      etag: undefined,
      isStale: true,
      failures: 0,
      timer: undefined,
      asking: undefined,
    };
    this.polled.set(registration.name, polled);
    this.askIn(polled, SOON_MS);
  }

  private drop(name: string): void {
    const polled = this.polled.get(name);
    if (polled === undefined) return;
    this.polled.delete(name);
    clearTimeout(polled.timer);
    polled.asking?.abort(new Error("the server stopped polling the document"));
    if (polled.document !== undefined && !this.closed) this.parts.changed();
  }

  private askIn(polled: Polled<Document>, ms: number): void {
    if (this.closed || polled.asking !== undefined) return;
    clearTimeout(polled.timer);
    polled.timer = setTimeout(() => {
      this.due.push(() => this.ask(polled));
      void this.work();
    }, ms).unref();
  }

  /** The number of concurrent polls is limited, because answers take memory. */
  private async work(): Promise<void> {
    if (this.working >= AT_ONCE) return;
    this.working += 1;
    for (let next = this.due.shift(); next !== undefined; next = this.due.shift()) await next();
    this.working -= 1;
  }

  private async ask(polled: Polled<Document>): Promise<void> {
    const { parts } = this;
    const { registration } = polled;
    if (this.polled.get(registration.name) !== polled || polled.asking !== undefined) return;
    const asking = new AbortController();
    polled.asking = asking;
    const wasStale = polled.isStale;
    let hasChanged = false;
    try {
      const { path, accept, maxBytes, timeoutMs, read } = parts;
      const known = polled.etag === undefined ? [] : ["If-None-Match", polled.etag];
      const headers = ["Accept", accept, ...known, ...identityHeaders(USER)];
      const { signal } = asking;
      const server = await parts.servers.of(registration);
      const bounds = { timeoutMs, maxBytes, verified: true, signal };
      const answer = await boundedGet(server, { path: path(registration), headers, ...bounds });
      if (answer.code !== 304 || polled.document === undefined) {
        if (answer.code !== 200 && answer.code !== 404)
          throw new Error(`the server answered with HTTP status ${answer.code}`);
        const document = await read(answer, registration, signal);
        signal.throwIfAborted();
        polled.document = document;
        polled.etag = answer.code === 200 ? etagOf(answer) : undefined;
        hasChanged = true;
      }
      polled.isStale = false;
      polled.failures = 0;
    } catch (error) {
      if (asking.signal.aborted) return;
      polled.isStale = true;
      polled.failures += 1;
      if (polled.failures === 1)
        parts.logger.warn(`cannot fetch ${parts.what} of an aggregated API server`, {
          name: registration.name,
          error: errorFields(error)["error"],
        });
    } finally {
      polled.asking = undefined;
      if (hasChanged || wasStale !== polled.isStale) parts.changed();
    }
    const { everyMs, maxMs } = parts;
    this.askIn(
      polled,
      polled.failures === 0 ? everyMs : pauseMsAfter({ firstMs: everyMs, maxMs }, polled.failures - 1),
    );
  }
}

const ETAG_MAX = 256;

function etagOf({ headers }: BoundedAnswer): string | undefined {
  const { etag } = headers;
  return typeof etag === "string" && etag.length <= ETAG_MAX && /^[\x21-\x7e]+$/.test(etag) ? etag : undefined;
}
