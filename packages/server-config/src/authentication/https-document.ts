// Fetches the documents of a token issuer over TLS, bounded in time and size. Redirects are not followed.
import { request } from "node:https";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { connectThrough, type Dialer, observeResponse } from "@orch/platform";
import { isObject, type JsonObject } from "@orch/schema";

const TIMEOUT_MS = 10_000;
const DOCUMENT_MAX_BYTES = 1024 * 1024;
/** Maximum size of a token's distributed claims. */
const CLAIMS_MAX_BYTES = 256 * 1024;

export class HttpsDocuments {
  private readonly secureContext: SecureContext;

  /**
   * @param ca PEM; undefined: the trusted certificates of the system
   * @param dialer opens the connections below TLS; undefined: they are direct
   * @throws Error for an invalid certificate
   */
  constructor(
    ca: string | undefined,
    private readonly dialer?: Dialer,
  ) {
    this.secureContext = createSecureContext(ca === undefined ? {} : { ca, allowPartialTrustChain: true });
  }

  async json(url: string, signal: AbortSignal): Promise<JsonObject> {
    const body = await this.get(url, { accept: "application/json", maxBytes: DOCUMENT_MAX_BYTES, signal });
    let value: unknown;
    try {
      value = JSON.parse(body.toString("utf8"));
    } catch {
      throw new Error(`${shown(url)} returned a document that is not JSON`);
    }
    if (!isObject(value as JsonObject)) throw new Error(`${shown(url)} returned a document that is not a JSON object`);
    return value as JsonObject;
  }

  async token(url: string, bearerToken: string): Promise<string> {
    const body = await this.get(url, {
      accept: "application/jwt",
      maxBytes: CLAIMS_MAX_BYTES,
      ...(bearerToken === "" ? {} : { authorization: `Bearer ${bearerToken}` }),
    });
    return body.toString("latin1");
  }

  private get(url: string, asked: Asked): Promise<Buffer> {
    const { accept, authorization, maxBytes, signal } = asked;
    return new Promise((resolve, reject) => {
      const address = URL.canParse(url) ? new URL(url) : undefined;
      if (address?.protocol !== "https:" || address.username !== "" || address.password !== "") {
        return reject(new Error("the URL must use https and contain no user"));
      }
      const { hostname, port, pathname, search } = address;
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      const fail = (why: string) => {
        reject(new Error(`${shown(url)} ${why}`));
        sent.destroy();
      };
      const sent = request({
        host,
        port: port === "" ? 443 : Number(port),
        path: pathname + search,
        ...(this.dialer === undefined ? { agent: false } : { createConnection: connectThrough(this.dialer, true) }),
        headers: { accept, "accept-encoding": "identity", ...(authorization && { authorization }) },
        ...{ secureContext: this.secureContext }, // An option of the TLS module.
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(signal && { signal }),
      });
      const timer = setTimeout(() => fail(`did not answer within ${TIMEOUT_MS / 1000} seconds`), TIMEOUT_MS);
      sent.on("close", () => {
        clearTimeout(timer);
        reject(new Error(`${shown(url)} closed the connection before the end of the answer`));
      });
      observeResponse(sent, {
        failed: (error) => fail(`cannot be reached: ${error.message}`),
        answered: (answer) => {
          if (answer.statusCode !== 200) return fail(`answered with HTTP status ${answer.statusCode}`);
          const pieces: Buffer[] = [];
          let length = 0;
          answer.on("error", (error) => fail(`aborted the answer: ${error.message}`));
          answer.on("data", (piece: Buffer) => {
            length += piece.length;
            if (length > maxBytes) fail(`returned more than ${maxBytes} bytes`);
            else pieces.push(piece);
          });
          answer.on("end", () => (answer.complete ? resolve(Buffer.concat(pieces)) : fail("aborted the answer")));
        },
      });
      sent.end();
    });
  }
}

interface Asked {
  readonly accept: string;
  readonly authorization?: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Returns the URL for messages, without confidential parts. */
const shown = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};
