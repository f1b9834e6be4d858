// A lean HTTP/1.1 client on a raw TLS socket, so that what is measured is the server: one request at a time, kept alive.
import { connect } from "node:tls";

const CRLF_CRLF = Buffer.from("\r\n\r\n");
const NEWLINE = 10;

/** @returns the bytes of a request, made once and sent many times */
export function requestBytes(
  method,
  path,
  body,
  { type = "application/json", accept = "application/json", token } = {},
) {
  const payload = body === undefined ? Buffer.alloc(0) : Buffer.from(body);
  const content = body === undefined ? "" : `Content-Type: ${type}\r\nContent-Length: ${payload.length}\r\n`;
  const bearer = token === undefined ? "" : `Authorization: Bearer ${token}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\n${bearer}${content}\r\n`;
  return Buffer.concat([Buffer.from(head), payload]);
}

export class Connection {
  #socket;
  #head = Buffer.alloc(0); // of an answer whose headers are not complete
  #state = "head"; // "head" | "body" (counted) | "size" | "chunk" | "chunkEnd" | "trailer" (chunked)
  #left = 0; // bytes of the body or the chunk that are still to come
  #sizeText = "";
  #status = 0;
  #settle;
  #fail;
  #onPayload;

  /** @param target `{ port, ca, cert, key }`, PEM texts @returns a connected one */
  static open(target) {
    return new Promise((resolve, reject) => {
      const { port, ca, cert, key } = target;
      const options = { host: "127.0.0.1", port, ca, cert, key, ALPNProtocols: ["http/1.1"] };
      const socket = connect(options, () => resolve(new Connection(socket)));
      socket.setNoDelay(true);
      socket.once("error", reject);
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#take(data));
    socket.on("error", (error) => this.#fail?.(error));
    socket.on("close", () => this.#fail?.(new Error("the server closed the connection")));
  }

  /**
   * @param onPayload is given the body's bytes piece by piece; without it they are counted and forgotten
   * @returns the status, when the whole answer has come
   */
  send(bytes, onPayload) {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#onPayload = onPayload;
      this.#socket.write(bytes);
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
