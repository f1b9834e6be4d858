// A single GET request of this server to an aggregated API server, bounded in time and in response size. Redirects are
// not followed.
import { request } from "node:https";
import { connectThrough, observeResponse } from "@orch/platform";
import type { ExtensionServer } from "./extension-server";

export interface BoundedGet {
  /** Path with query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** Maximum size of the body; 0: the body is not read. */
  readonly maxBytes: number;
  /** False: the serving certificate is not verified. */
  readonly verified: boolean;
  readonly signal: AbortSignal;
}

export interface BoundedAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** No response arrived within the timeout. */
export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";
}

/** Sends the request. @throws Error that names the problem, or the signal's reason */
export function boundedGet(server: ExtensionServer, asked: BoundedGet): Promise<BoundedAnswer> {
  const { path, headers, timeoutMs, maxBytes, verified, signal } = asked;
  const { host, port, lookup, tls, dialer } = server;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const sent = request({
      host,
      port,
      lookup,
      path,
      method: "GET",
      ...(dialer === undefined ? { agent: false } : { createConnection: connectThrough(dialer, true) }),
      headers: ["Host", tls.servername, "Accept-Encoding", "identity", "Connection", "close", ...headers] as never,
      ...tls,
      rejectUnauthorized: verified && tls.rejectUnauthorized,
    });
    const fail = (error: unknown) => {
      reject(error instanceof Error ? error : new Error(String(error)));
      sent.destroy();
    };
    const late = setTimeout(
      () => fail(new ResponseTimeoutError(`no answer within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    );
    const stop = () => fail(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    sent.on("close", () => {
      clearTimeout(late);
      signal.removeEventListener("abort", stop);
      reject(new Error("the connection was closed before the end of the answer"));
    });
    observeResponse(sent, {
      failed: fail,
      answered: (answer) => {
        const { statusCode: code = 0, headers: answered } = answer;
        const pieces: Buffer[] = [];
        let length = 0;
        answer.on("error", fail);
        const done = () => {
          resolve({ code, headers: answered, body: Buffer.concat(pieces) });
          sent.destroy();
        };
        if (maxBytes === 0) return done();
        answer.on("data", (piece: Buffer) => {
          length += piece.length;
          if (length > maxBytes) fail(new Error(`the answer has more than ${maxBytes} bytes`));
          else pieces.push(piece);
        });
        answer.on("end", () => (answer.complete ? done() : fail(new Error("the answer was aborted"))));
      },
    });
    sent.end();
  });
}
