// Output of a watch: the body of an answer, or a WebSocket.
import { constants, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { ByteSocket, type Handshake, headersOf } from "@orch/http-server";
import type { ApiResponse } from "@orch/request";
import type { WatchFlusher } from "./watch-flusher";

export interface WatchSink {
  /** Emits `drain` when more may be written. */
  readonly out: Writable;
  /** @returns false: wait for `drain` */
  write(frames: readonly Buffer[]): boolean;
  /** Called after the last frame. */
  end(): void;
  /** Breaks off, because the client does not read. */
  cutOff(): void;
}

/** Sends the head of the answer at once, so that the client knows that the watch is established. */
export function responseSink(response: ApiResponse, contentType: string, flusher: WatchFlusher): WatchSink {
  response.writeHead(200, headersOf(response, contentType));
  response.flushHeaders();
  return new ResponseSink(response, flusher);
}

/** A class, because there are thousands of instances, which share their methods. */
class ResponseSink implements WatchSink {
  readonly out: Writable;
  /** HTTP/1.1 chunks are written directly to the connection, past the response object: half the cost per event. */
  private readonly direct: boolean;

  constructor(
    private readonly response: ApiResponse,
    private readonly flusher: WatchFlusher,
  ) {
    // HTTP/2 creates a socket proxy on access.
    const socket = isOfHttp1(response) ? response.socket : null;
    this.direct = response.chunkedEncoding && socket !== null;
    this.out = this.direct && socket !== null ? socket : response;
  }

  write(frames: readonly Buffer[]): boolean {
    const bytes = this.direct ? this.flusher.chunk(frames) : this.flusher.join(frames);
    this.response.req.context.responseBytes += bytes.length;
    return this.out.write(bytes);
  }

  end(): void {
    this.response.end();
  }

  cutOff(): void {
    const { response } = this;
    if (isOfHttp1(response)) response.destroy();
    // Ends only this stream of the connection.
    else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_CANCEL);
  }
}

const isOfHttp1 = (response: ApiResponse): boolean => response.req.httpVersionMajor === 1;

/**
 * Sends one message per event.
 * @param isText whether frames are text; binary frames begin with their length, which a message does not need
 */
export function webSocketSink(response: ApiResponse, handshake: Handshake, isText: boolean): WatchSink {
  const to = ByteSocket.open(response, handshake);
  const { context } = response.req;
  return {
    out: to.socket,
    write(frames) {
      let isFree = true;
      for (const frame of frames) {
        const message = isText ? frame : frame.subarray(LENGTH_BYTES);
        context.responseBytes += message.length;
        isFree = to.send(message, isText);
      }
      return isFree;
    },
    end: () => to.close(),
    cutOff: () => to.breakOff(),
  };
}

const LENGTH_BYTES = 4;
