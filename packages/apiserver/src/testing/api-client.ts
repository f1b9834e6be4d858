// A test client over real TLS: plain requests, and watches that are read event by event.

import type { IncomingHttpHeaders } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { Agent, type RequestOptions, request } from "node:https";
import type { KeyAndCertificate } from "@orch/platform";
import type { RunningServer } from "../server/start-server";

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON, loosely typed for tests. */
  readonly json: Loose;
}

/**
 * Members that tests read in answers of all kinds. A member that the answer lacks is undefined, whatever its type says.
 */
export interface Loose {
  readonly kind: string;
  readonly apiVersion: string;
  readonly type: string;
  readonly object: Loose;
  readonly name: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly continue: string;
    readonly remainingItemCount: number | undefined;
    readonly annotations: object;
    readonly creationTimestamp: string;
  };
  readonly items: readonly Loose[];
  readonly columnDefinitions: readonly Loose[] | null;
  readonly rows: readonly Loose[];
  readonly cells: readonly (string | number)[];
  readonly data: object;
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status: { readonly phase: string };
  readonly details: { readonly uid: string };
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly paths: readonly string[];
  readonly groups: readonly Loose[];
  readonly versions: readonly Loose[];
  readonly preferredVersion: Loose;
  readonly groupVersion: string;
  readonly resources: readonly Loose[];
  readonly verbs: readonly string[];
}

export interface Sent {
  readonly body?: string | Buffer | object;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiClient {
  private readonly agent: Agent;

  /** @param as absent: no client certificate */
  constructor(
    readonly server: RunningServer,
    as?: KeyAndCertificate,
  ) {
    this.agent = new Agent({
      ca: server.ca,
      keepAlive: true,
      ...(as === undefined ? {} : { cert: as.certificate, key: as.key }),
    });
  }

  ask(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    const bytes = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    // Set explicitly, because Node.js omits it for methods that seldom have a body, such as DELETE.
    const length =
      bytes === undefined || "transfer-encoding" in headers
        ? {}
        : { "content-length": String(Buffer.byteLength(bytes)) };
    const options: RequestOptions = { method, agent: this.agent, headers: { ...length, ...headers } };
    return new Promise((resolve, reject) => {
      const sent = request(this.server.url + path, options, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(pieces);
          const text = bytes.toString();
          resolve({
            bytes,
            code: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text) as Loose;
            },
          });
        });
      });
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  get(path: string, sent?: Sent): Promise<Answer> {
    return this.ask("GET", path, sent);
  }

  post(path: string, body: object | string | Buffer, headers?: Sent["headers"]): Promise<Answer> {
    return this.ask("POST", path, { body, ...(headers === undefined ? {} : { headers }) });
  }

  put(path: string, body: object): Promise<Answer> {
    return this.ask("PUT", path, { body });
  }

  delete(path: string, body?: object): Promise<Answer> {
    return this.ask("DELETE", path, body === undefined ? {} : { body });
  }

  /** Resolves when the response headers have arrived. */
  watch(path: string, { headers = {} }: Sent = {}): Promise<WatchReader> {
    return new Promise((resolve, reject) => {
      const sent = request(this.server.url + path, { agent: this.agent, headers }, (response) => {
        resolve(new WatchReader(response, response.statusCode ?? 0, () => sent.destroy()));
      });
      sent.on("error", reject);
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The events of a watch, over HTTP/1.1 or HTTP/2. */
export class WatchReader {
  private rest = "";
  private readonly events: Loose[] = [];
  private waiting: (() => void) | undefined;
  private over = false;

  constructor(
    stream: NodeJS.ReadableStream,
    readonly code: number,
    readonly close: () => void,
  ) {
    stream.on("data", (piece: Buffer) => {
      const lines = (this.rest + piece.toString()).split("\n");
      this.rest = lines.pop() ?? "";
      for (const line of lines) this.events.push(JSON.parse(line));
      this.waiting?.();
    });
    for (const end of ["end", "error", "close"]) {
      stream.on(end, () => {
        this.over = true;
        this.waiting?.();
      });
    }
  }

  /** Returns the next event, or undefined at the end. */
  async next(): Promise<Loose | undefined> {
    while (this.events.length === 0 && !this.over) {
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
    }
    return this.events.shift();
  }

  /** Returns `ADDED a` and so on, in order. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      taken.push(`${event.type} ${event.object.metadata?.name ?? event.object.code ?? ""}`.trim());
    }
    return taken;
  }
}

/** Opens an HTTP/2 connection with the operator's certificate. */
export async function openHttp2(server: RunningServer): Promise<ClientHttp2Session> {
  const session = connect(server.url, { ca: server.ca, cert: server.admin.certificate, key: server.admin.key });
  await new Promise((resolve, reject) => session.once("connect", resolve).once("error", reject));
  return session;
}

export async function http2Get(session: ClientHttp2Session, path: string): Promise<{ code: number; text: string }> {
  const stream = session.request({ ":path": path });
  const code = await new Promise<number>((resolve, reject) => {
    stream.once("response", (headers) => resolve(Number(headers[":status"])));
    stream.once("error", reject);
  });
  let text = "";
  for await (const piece of stream) text += String(piece);
  return { code, text };
}

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
