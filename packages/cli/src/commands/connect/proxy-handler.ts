// Requests of the proxy: passed to the server with the user's credentials, bodies as streams.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Client, ConnectionError } from "@orch/client";
import { StatusError } from "@orch/machinery";
import type { RequestFilter } from "./proxy-filter";
import type { StaticFiles } from "./static-files";

export interface ProxyParts {
  readonly client: Client;
  /** Absent: everything is passed on. */
  readonly filter: RequestFilter | undefined;
  /** Path of the API, with slashes at both ends. */
  readonly prefix: string;
  readonly files: StaticFiles | undefined;
}

/** Headers of one connection. Source: RFC 9110, section 7.6.1. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers that the client sets for the user. */
const OF_CLIENT: ReadonlySet<string> = new Set(["host", "authorization", "user-agent"]);
const WEB_SOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class ProxyHandler {
  constructor(private readonly parts: ProxyParts) {}

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { client, files } = this.parts;
    const url = request.url ?? "/";
    const [place = "", ...query] = url.split("?");
    if (place.includes("//")) {
      if (!this.isAccepted(request)) return refuse(response, 403, "Forbidden");
      response.writeHead(301, { location: [place.replaceAll(/\/{2,}/g, "/"), ...query].join("?") });
      response.end();
      return;
    }
    if (files?.answers(url) === true && this.isAccepted(request)) return files.send(url, response);
    const path = this.pathOf(request);
    if (path === undefined) return refuse(response, 404, "404 page not found");
    if (!this.isAccepted(request)) return refuse(response, 403, "Forbidden");
    const stop = new AbortController();
    response.once("close", () => stop.abort(new Error("the client has gone")));
    try {
      const hasBody =
        request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
      const answer = await client.raw({
        method: request.method ?? "GET",
        path,
        headers: headersFor(request, true),
        ...(hasBody && { body: request }),
        signal: stop.signal,
      });
      response.writeHead(answer.status, headersFor(answer, false));
      response.flushHeaders();
      answer.body.on("error", () => response.destroy());
      answer.body.pipe(response);
    } catch (error) {
      if (stop.signal.aborted) return;
      if (response.headersSent) response.destroy();
      else refuse(response, 502, (error as Error).message);
    }
  }

  /** Passes a WebSocket on. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => {});
    const path = this.pathOf(request);
    const key = request.headers["sec-websocket-key"];
    if (path === undefined || !this.isAccepted(request)) return end(socket, 403, "Forbidden");
    if (request.headers.upgrade?.toLowerCase() !== "websocket" || typeof key !== "string") {
      return end(socket, 400, "Only WebSockets are passed on");
    }
    const offered = String(request.headers["sec-websocket-protocol"] ?? "")
      .split(/,\s*/)
      .filter((each) => each !== "");
    try {
      const opened = await this.parts.client.upgrade({ path, to: "websocket", protocols: offered });
      const accept = createHash("sha1").update(`${key}${WEB_SOCKET_GUID}`).digest("base64");
      socket.write(
        [
          "HTTP/1.1 101 Switching Protocols",
          "Upgrade: websocket",
          "Connection: Upgrade",
          `Sec-WebSocket-Accept: ${accept}`,
          ...(opened.protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${opened.protocol}`]),
          "\r\n",
        ].join("\r\n"),
      );
      const server = opened.socket;
      server.on("error", () => socket.destroy());
      socket.once("close", () => server.destroy());
      server.once("close", () => socket.destroy());
      socket.write(opened.head);
      server.write(head);
      server.pipe(socket);
      socket.pipe(server);
    } catch (error) {
      const code = error instanceof StatusError ? error.code : error instanceof ConnectionError ? 502 : 500;
      end(socket, code, (error as Error).message);
    }
  }

  private isAccepted({ method = "GET", url = "/", headers }: IncomingMessage): boolean {
    const [path = ""] = url.split("?");
    return this.parts.filter?.accepts(method, path, headers.host ?? "") !== false;
  }

  /** Returns the path at the server; undefined outside of the prefix. */
  private pathOf({ url = "/" }: IncomingMessage): string | undefined {
    const { prefix } = this.parts;
    return url.startsWith(prefix) ? url.slice(prefix.length - 1) : undefined;
  }
}

function headersFor(
  { headers }: { readonly headers: IncomingMessage["headers"] },
  isRequest: boolean,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OF_CONNECTION.has(name) || (isRequest && OF_CLIENT.has(name))) continue;
    passed[name] = value;
  }
  return passed;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}

function end(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : "Error"}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
