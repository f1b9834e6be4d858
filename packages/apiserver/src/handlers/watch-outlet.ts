// Where a watch is written to: the body of an answer, or a WebSocket.
import { constants, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { headersOf } from "../http/answer";
import { ByteSocket, type Handshake } from "../http/web-socket";
import type { ApiResponse } from "../pipeline/request-context";
import type { WatchFlusher } from "./watch-flusher";

export interface WatchOutlet {
  /** Says by `drain` when more may be written. */
  readonly out: Writable;
  /** @returns false: wait for `drain` */
  write(frames: readonly Buffer[]): boolean;
  /** After the last frame. */
  end(): void;
  /** In the middle: the other side does not read. */
  cutOff(): void;
}

/** Sends the head of the answer at once, so that the client knows that the watch is in place. */
export function answerOutlet(response: ApiResponse, contentType: string, flusher: WatchFlusher): WatchOutlet {
  response.writeHead(200, headersOf(response, contentType));
  response.flushHeaders();
  return new AnswerOutlet(response, flusher);
}

/** Of these there are thousands: what all of them do alike is not a function of each. */
class AnswerOutlet implements WatchOutlet {
  readonly out: Writable;
  /** HTTP/1.1 in chunks is written past the response object, straight to its connection: half the cost of an event. */
  private readonly direct: boolean;

  constructor(
    private readonly response: ApiResponse,
    private readonly flusher: WatchFlusher,
  ) {
    // HTTP/2 makes one for whoever asks.
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
    // Of the connection's streams this one alone ends.
    else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_CANCEL);
  }
}

const isOfHttp1 = (response: ApiResponse): boolean => response.req.httpVersionMajor === 1;

/** One message an event. @param isText whether the form's frames are text; others begin with their length, which a message has anyway */
export function webSocketOutlet(response: ApiResponse, handshake: Handshake, isText: boolean): WatchOutlet {
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
