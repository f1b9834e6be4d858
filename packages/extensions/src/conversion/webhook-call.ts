// One question to a webhook and its answer, over TLS, bounded in time and in size. Redirects are not followed.
import { Agent, request } from "node:https";

export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
  /** With a leading slash. */
  readonly path: string;
  /** Under which its certificate is checked; absent: the host. */
  readonly serverName?: string;
  /** PEM; absent: what this machine trusts. */
  readonly ca?: string;
}

export interface CallBounds {
  readonly timeoutMs: number;
  readonly answerMaxBytes: number;
  readonly signal: AbortSignal;
}

/** Connections that are open at a time, and how long an idle one is kept. */
const CONNECTIONS = 16;
const IDLE_MS = 30_000;

/** What went wrong, in words for whoever runs the webhook. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export class WebhookCaller {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: 2, timeout: IDLE_MS });

  /**
   * @param body JSON
   * @throws WebhookError, and the signal's reason where nobody waits any more
   */
  async post(address: WebhookAddress, body: string, bounds: CallBounds): Promise<Buffer> {
    const { timeoutMs, signal } = bounds;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await this.exchange(address, body, { ...bounds, signal: AbortSignal.any([signal, late.signal]) });
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted) throw new WebhookError(`no answer within ${timeoutMs / 1000} seconds`);
      throw error instanceof WebhookError ? error : new WebhookError(errorText(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private exchange(
    { host, port, path, serverName, ca }: WebhookAddress,
    body: string,
    { answerMaxBytes, signal }: CallBounds,
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host,
          port,
          path,
          method: "POST",
          agent: this.agent,
          signal,
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            "content-length": Buffer.byteLength(body),
          },
          ...(serverName === undefined ? {} : { servername: serverName }),
          ...(ca === undefined ? {} : { ca }),
        },
        (response) => {
          const pieces: Buffer[] = [];
          let length = 0;
          response.on("error", reject);
          response.on("data", (piece: Buffer) => {
            length += piece.length;
            if (length <= answerMaxBytes) pieces.push(piece);
            else {
              sent.destroy();
              reject(new WebhookError(`the answer has more than ${answerMaxBytes} bytes`));
            }
          });
          response.on("end", () => {
            const { statusCode } = response;
            if (statusCode === 200) resolve(Buffer.concat(pieces));
            else reject(new WebhookError(`it answered with the HTTP status ${statusCode}`));
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message;
  return error instanceof Error ? error.message : String(error);
}
