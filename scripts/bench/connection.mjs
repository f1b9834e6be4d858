// A minimal HTTP/1.1 client on a raw TLS socket, which keeps the client's cost low: one request at a time, kept alive.
import { connect } from "node:tls";
import { openHttp2 } from "./http2-connections.mjs";

const CRLF_CRLF = Buffer.from("\r\n\r\n");
const NEWLINE = 10;

/** A request that is built once and sent many times. */
export class Request {
  #bytes;

  constructor(method, path, body, { type = "application/json", accept = "application/json", token } = {}) {
    this.method = method;
    this.path = path;
    this.payload = body === undefined ? undefined : Buffer.from(body);
    this.headers = { accept };
    if (token !== undefined) this.headers.authorization = `Bearer ${token}`;
    if (body === undefined) return;
    this.headers["content-type"] = type;
    this.headers["content-length"] = `${this.payload.length}`;
  }

  /**
   * Returns the request in HTTP/1.1 format.
   * @param others headers of the connection; always the same for one request
   */
  bytes(others) {
    this.#bytes ??= this.#written({ ...others, ...this.headers });
    return this.#bytes;
  }

  #written(headers) {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`${this.method} ${this.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}\r\n`);
    return this.payload === undefined ? head : Buffer.concat([head, this.payload]);
  }
}

/** Returns the headers that all requests to a target share. */
const headersOf = ({ token }) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** @param target `{ host, port, ca, cert, key, token, protocol }`; PEM texts; without `ca` the server is not verified */
export const tlsOptions = ({ host = "127.0.0.1", port, ca, cert, key }) => ({
  host,
  port,
  ca,
  cert,
  key,
  rejectUnauthorized: ca !== undefined,
});

/** Opens `count` connections that each send one request at a time. */
export const openAll = (target, count) =>
  target.protocol === "h2"
    ? openHttp2(tlsOptions(target), headersOf(target), count)
    : Promise.all(Array.from({ length: count }, () => Connection.open(target)));

export class Connection {
  #socket;
  #headers;
  #head = Buffer.alloc(0); // bytes of a response whose headers are incomplete
  #state = "head"; // "head" | "body" (counted) | "size" | "chunk" | "chunkEnd" | "trailer" (chunked)
  #left = 0; // remaining bytes of the body or the chunk
  #sizeText = "";
  #status = 0;
  #settle;
  #fail;
  #onPayload;

  /** @param target see `tlsOptions` @returns a connected instance */
  static open(target) {
    return new Promise((resolve, reject) => {
      const options = { ...tlsOptions(target), ALPNProtocols: ["http/1.1"] };
      const socket = connect(options, () => resolve(new Connection(socket, headersOf(target))));
      socket.setNoDelay(true);
      socket.once("error", reject);
    });
  }

  constructor(socket, headers) {
    this.#socket = socket;
    this.#headers = headers;
    socket.on("data", (data) => this.#take(data));
    socket.on("error", (error) => this.#fail?.(error));
    socket.on("close", () => this.#fail?.(new Error("the server closed the connection")));
  }

  /**
   * @param onPayload receives the body in pieces; without it the bytes are counted and discarded
   * @returns the status, once the response is complete
   */
  send(request, onPayload) {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#onPayload = onPayload;
      this.#socket.write(request.bytes(this.#headers));
    });
  }

  close() {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #take(data) {
    let at = 0;
    while (at < data.length) {
      switch (this.#state) {
        case "head": {
          const joined = this.#head.length === 0 ? data.subarray(at) : Buffer.concat([this.#head, data.subarray(at)]);
          const end = joined.indexOf(CRLF_CRLF);
          if (end < 0) {
            this.#head = Buffer.from(joined);
            return;
          }
          this.#readHead(joined.latin1Slice(0, end));
          at = data.length - (joined.length - end - 4);
          this.#head = Buffer.alloc(0);
          if (this.#state === "body" && this.#left === 0) this.#finish();
          break;
        }
        case "body":
        case "chunk": {
          const end = Math.min(data.length, at + this.#left);
          this.#onPayload?.(data.subarray(at, end));
          this.#left -= end - at;
          at = end;
          if (this.#left > 0) break;
          if (this.#state === "body") this.#finish();
          else this.#state = "chunkEnd";
          break;
        }
        case "chunkEnd": // the line break after a chunk
          if (data[at] === NEWLINE) this.#state = "size";
          at += 1;
          break;
        case "size": {
          const end = data.indexOf(NEWLINE, at);
          this.#sizeText += data.latin1Slice(at, end < 0 ? data.length : end);
          at = end < 0 ? data.length : end + 1;
          if (end < 0) break;
          this.#left = Number.parseInt(this.#sizeText, 16);
          this.#sizeText = "";
          this.#state = this.#left === 0 ? "trailer" : "chunk";
          break;
        }
        case "trailer": // no trailers are used: one empty line
          if (data[at] === NEWLINE) this.#finish();
          at += 1;
          break;
      }
    }
  }

  #readHead(head) {
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#left = length === null ? 0 : Number(length[1]);
    this.#state = length === null && /\r\ntransfer-encoding: *chunked/i.test(head) ? "size" : "body";
  }

  #finish() {
    this.#state = "head";
    const settle = this.#settle;
    this.#settle = undefined;
    this.#fail = undefined;
    settle?.(this.#status);
  }
}
