// A transparent HTTP client: sends exactly what it is told over HTTP/1.1 keep-alive connections and returns exactly
// what it received.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import type { ApiObject } from "./api-object";
import type { Credentials } from "./credentials";
import { Watch } from "./watch-reader";

const TIMEOUT_MS = 30_000;

/** Members of a Status that tests read. */
interface StatusBody {
  readonly kind: string;
  readonly status: string;
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The received body. */
  readonly bytes: Buffer;
  /** The body as an object. @throws SyntaxError when it is not JSON */
  object(): ApiObject;
  statusBody(): StatusBody;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Time limit for the complete answer. */
  readonly timeoutMs?: number;
  /** Closes after the headers; the body is then "". For streams, which may have no end. */
  readonly headersOnly?: (status: number) => boolean;
}

export class ApiClient {
  readonly url: string;
  readonly credentials: Credentials;
  private readonly agent: Agent;

  constructor(url: string, credentials: Credentials) {
    this.url = url;
    this.credentials = credentials;
    const { token: _, ...tls } = credentials;
    this.agent = new Agent({ keepAlive: true, maxSockets: 64, ...tls });
  }

  /** @throws Error without a complete answer: refused, reset, cut off or too late */
  send(
    path: string,
    { method = "GET", headers = {}, body, timeoutMs = TIMEOUT_MS, headersOnly }: SendOptions = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = {
        method,
        headers: { ...this.headers(body), ...headers },
        signal: AbortSignal.timeout(timeoutMs),
      };
      const sent = this.request(path, options, (answer) => {
        if (headersOnly?.(answer.statusCode ?? 0)) {
          resolve(answerOf(answer, Buffer.alloc(0)));
          sent.destroy();
          return;
        }
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", reject);
        answer.once("end", () => resolve(answerOf(answer, Buffer.concat(chunks))));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  get(path: string, options: SendOptions = {}): Promise<Answer> {
    return this.send(path, options);
  }

  post(path: string, object: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.send(path, { method: "POST", body: JSON.stringify(object), ...options });
  }

  put(path: string, object: unknown, options: SendOptions = {}): Promise<Answer> {
    return this.send(path, { method: "PUT", body: JSON.stringify(object), ...options });
  }

  delete(path: string, options: SendOptions = {}): Promise<Answer> {
    return this.send(path, { method: "DELETE", ...options });
  }

  /**
   * Opens a watch; `path` is the collection with its query, without `watch=1`. Resolves when the headers have arrived.
   */
  async watch(path: string): Promise<Watch> {
    return new Watch(await this.stream(`${path}${path.includes("?") ? "&" : "?"}watch=1`));
  }

  /** Opens a stream. Resolves when the headers have arrived. @throws Error unless the status is 200 */
  stream(path: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      // A connection of its own, so that closing the stream closes the connection.
      const { token: _, ...tls } = this.credentials;
      const sent = request(
        new URL(path, this.url),
        { ...tls, agent: false, headers: { ...this.headers(), ...headers } },
        (answer) => {
          if (answer.statusCode === 200) resolve(answer);
          else
            void textOf(answer).then((text) =>
              reject(new Error(`watch ${path} answered ${answer.statusCode}: ${text}`)),
            );
        },
      );
      sent.once("error", reject);
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private request(path: string, options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) {
    // URL would normalize the path that the test sends.
    const { hostname, port } = new URL(this.url);
    return request({ ...options, agent: this.agent, hostname, port, path }, onAnswer);
  }

  private headers(body?: string | Buffer): Record<string, string> {
    const { token } = this.credentials;
    return {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` }),
    };
  }
}

function answerOf(answer: IncomingMessage, bytes: Buffer): Answer {
  const body = bytes.toString("utf8");
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body,
    bytes,
    object: () => JSON.parse(body) as ApiObject,
    statusBody: () => JSON.parse(body) as StatusBody,
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer) text += (chunk as Buffer).toString("utf8");
  return text;
}
