// The client over HTTP/2: several request lanes share a connection, as in common clients.
import { connect } from "node:http2";

const STREAMS_EACH = 8;

/**
 * @param options TLS options
 * @param others headers of every request
 * @returns `count` lanes that each send one request at a time
 */
export async function openHttp2(options, others, count) {
  const sessions = await Promise.all(
    Array.from({ length: Math.ceil(count / STREAMS_EACH) }, () => openSession(options)),
  );
  return Array.from({ length: count }, (_, at) => new Http2Lane(sessions[at % sessions.length], others));
}

function openSession({ host, port, ...options }) {
  return new Promise((resolve, reject) => {
    const session = connect(`https://${host}:${port}`, options, () => resolve(session));
    session.once("error", reject);
  });
}

class Http2Lane {
  #session;
  #others;

  constructor(session, others) {
    this.#session = session;
    this.#others = others;
  }

  /** See `Connection.send`. */
  send({ method, path, headers, payload }, onPayload) {
    return new Promise((resolve, reject) => {
      const head = { ":method": method, ":path": path, ...this.#others, ...headers };
      const stream = this.#session.request(head, { endStream: payload === undefined });
      let status;
      stream.once("response", (answer) => {
        status = answer[":status"];
      });
      stream.on("data", (data) => onPayload?.(data));
      stream.once("error", reject);
      stream.once("close", () =>
        status === undefined ? reject(new Error("a stream without an answer")) : resolve(status),
      );
      if (payload !== undefined) stream.end(payload);
    });
  }

  close() {
    this.#session.destroy();
  }
}
