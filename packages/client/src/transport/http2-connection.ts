// An HTTP/2 connection shared by many requests and watches.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { TLSSocket } from "node:tls";
import { ANNOUNCEMENTS_MAX, type Clock } from "@orch/platform";
import { readBytes } from "./read-body";
import { stopWith } from "./stop-with";
import { ConnectionError, type TransportRequest, type TransportResponse } from "./transport";

/** Flow control windows of one stream and of the connection: lists are large and watches many. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 32 * 1024 * 1024;
const SESSION_MEMORY_MB = 128;
/** Limit of streams until the server's settings arrive. */
const STREAMS_ASSUMED = 100;
/** Values of client-go. Source: staging/src/k8s.io/apimachinery/pkg/util/net/http.go. */
const PING_EVERY_MS = 30_000;
const PING_ANSWER_WITHIN_MS = 15_000;
/** Time for the answer to a ping after a request that was not answered. */
const DOUBT_MS = 1000;

export class Http2Connection {
  private readonly session: ClientHttp2Session;
  private active = 0;
  private sent = 0;
  private leaving = false;
  private cancelPing: () => void = () => {};
  private isDoubted = false;

  /** @param closed called once, when the connection takes no new requests */
  constructor(
    socket: TLSSocket,
    origin: string,
    private readonly deps: { readonly clock: Clock; readonly closed: (connection: Http2Connection) => void },
  ) {
    this.session = connect(origin, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.session.once("connect", () => this.session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    this.session.on("error", () => this.leave()); // every stream reports its own error
    this.session.once("goaway", () => this.leave());
    this.session.once("close", () => this.leave());
    this.session.unref();
    this.schedulePing();
  }

  get usable(): boolean {
    return !this.leaving && !this.session.closed && !this.session.destroyed && this.active < this.streamsMax();
  }

  request({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      let stream: ClientHttp2Stream;
      try {
        stream = this.session.request(
          { ...headers, ":method": method, ":path": path },
          { endStream: body === undefined },
        );
      } catch (cause) {
        this.leave();
        reject(lost(cause, { notProcessed: true, onKeptConnection: this.sent > 0 }));
        return;
      }
      const onKeptConnection = this.sent > 0;
      this.sent += 1;
      this.began();
      let failure: unknown;
      stream.on("error", (error) => {
        failure = error;
      });
      let announcements = 0;
      stream.on("headers", () => {
        announcements += 1;
        if (announcements > ANNOUNCEMENTS_MAX) stream.destroy(new Error("it announces an answer of unlimited length"));
      });
      stopWith(signal, stream);
      let isAnswered = false;
      stream.once("response", (answer) => {
        isAnswered = true;
        const body = { bytes: (maxBytes?: number) => readBytes(stream, maxBytes), stream: () => stream };
        resolve({ status: Number(answer[":status"]), headers: answer, body });
      });
      stream.once("close", () => {
        this.ended();
        // The error is reported through the body.
        if (isAnswered) return;
        if (signal.aborted) {
          this.doubt();
          reject(signal.reason);
        } else {
          const notProcessed = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
          reject(lost(failure, { notProcessed, onKeptConnection }));
        }
      });
      if (body !== undefined) stream.end(body);
    });
  }

  /** Takes no new requests, and closes after the running ones. */
  drain(): void {
    this.leave();
    this.session.close();
  }

  destroy(): void {
    this.leave();
    // Without an error, responses that are being read would end like complete ones. The server is told of none.
    this.session.destroy(new Error("the client closed the connection"), constants.NGHTTP2_NO_ERROR);
  }

  private streamsMax(): number {
    // Absent until the server's settings have arrived.
    return this.session.remoteSettings?.maxConcurrentStreams ?? STREAMS_ASSUMED;
  }

  /** Counts a request. An idle connection does not keep the process alive. */
  private began(): void {
    this.active += 1;
    if (this.active === 1) this.session.ref();
  }

  private ended(): void {
    this.active -= 1;
    if (this.active === 0 && !this.session.destroyed) this.session.unref();
  }

  private leave(): void {
    if (this.leaving) return;
    this.leaving = true;
    this.deps.closed(this);
  }

  /** Detects a silent peer, also behind a proxy that keeps the connection open. */
  private schedulePing(): void {
    const { clock } = this.deps;
    this.cancelPing = clock.after(PING_EVERY_MS, () => this.ping(), { background: true });
    this.session.once("close", () => this.cancelPing());
  }

  /**
   * Sends new requests elsewhere when the peer does not answer a ping soon after a request that was given up. Otherwise
   * the next request would wait in vain as well, such as that of a leader for its lease. Running watches stay until the
   * regular ping fails, because the peer may be slow.
   */
  private doubt(): void {
    if (this.isDoubted || this.leaving || this.session.destroyed) return;
    this.isDoubted = true;
    const cancel = this.deps.clock.after(DOUBT_MS, () => this.leave(), { background: true });
    this.session.ping(() => {
      this.isDoubted = false;
      cancel();
    });
  }

  private ping(): void {
    if (this.session.destroyed) return;
    const { clock } = this.deps;
    this.cancelPing = clock.after(
      PING_ANSWER_WITHIN_MS,
      () => this.session.destroy(new Error(`no answer to a ping within ${PING_ANSWER_WITHIN_MS} ms`)),
      { background: true },
    );
    this.session.ping(() => {
      this.cancelPing();
      if (this.session.destroyed) return;
      this.cancelPing = clock.after(PING_EVERY_MS, () => this.ping(), { background: true });
    });
  }
}

const lost = (
  cause: unknown,
  of: { readonly notProcessed: boolean; readonly onKeptConnection: boolean },
): ConnectionError =>
  new ConnectionError(`the connection was lost${cause instanceof Error ? `: ${cause.message}` : ""}`, { cause, ...of });
