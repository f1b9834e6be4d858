// Refreshes ID tokens with a provider of OpenID Connect. Source: OpenID Connect Discovery 1.0; RFC 6749, section 6.
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { connectThrough, systemRoots } from "@orch/platform";
import { isObject, type JsonObject, readJson } from "@orch/schema";
import { readTextSource, type TextSource } from "./connection-settings";
import { isSecure } from "./oidc-settings";
import { proxyOf } from "./proxy-choice";
import { proxyDialer } from "./proxy-dialer";

export interface OidcLogin {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

export interface OidcTokens {
  readonly idToken: string;
  /** Undefined: the one that was sent stays valid. */
  readonly refreshToken: string | undefined;
}

const TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 1024 * 1024;
const SHOWN_CHARACTERS = 80;

/** A provider has refused, or could not be reached. */
export class OidcError extends Error {
  override readonly name = "OidcError";
}

export class OidcProvider {
  /** The provider takes the client's secret in the body, and not in a header. */
  private takesSecretInBody = false;

  constructor(
    private readonly issuer: string,
    private readonly ca: TextSource | undefined,
    private readonly environment: Readonly<Record<string, string | undefined>>,
  ) {}

  /** @throws OidcError */
  async refreshed(login: OidcLogin): Promise<OidcTokens> {
    const endpoint = await this.tokenEndpoint();
    const answer = await this.granted(endpoint, login);
    const { id_token: idToken, refresh_token: refreshToken } = answer;
    if (typeof idToken !== "string" || idToken === "") {
      throw new OidcError(
        'the token response contains no id_token: the scope "openid" was not requested at login, or the provider does not return it for a refresh token',
      );
    }
    return {
      idToken,
      refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : undefined,
    };
  }

  private async tokenEndpoint(): Promise<string> {
    const url = `${this.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { status, text } = await this.fetched(url, {});
    if (status !== 200) {
      const shown = JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
      throw new OidcError(`oidc: failed to query metadata endpoint ${url}: HTTP status ${status}: ${shown}`);
    }
    const endpoint = objectIn(text)?.["token_endpoint"];
    if (typeof endpoint !== "string" || endpoint === "") {
      throw new OidcError("oidc: discovery object doesn't contain a token_endpoint");
    }
    if (!isSecure(endpoint)) throw new OidcError("oidc: the token_endpoint of the discovery object does not use https");
    return endpoint;
  }

  private async granted(endpoint: string, login: OidcLogin): Promise<JsonObject> {
    let answer = await this.asked(endpoint, login);
    if (answer.status !== 200 && login.clientSecret !== "" && !this.takesSecretInBody) {
      this.takesSecretInBody = true;
      answer = await this.asked(endpoint, login);
      if (answer.status !== 200) this.takesSecretInBody = false;
    }
    const { status, text } = answer;
    const object = objectIn(text);
    if (status === 200 && object !== undefined) return object;
    const told = [object?.["error"], object?.["error_description"]].filter((each) => typeof each === "string");
    throw new OidcError(
      `failed to refresh token: HTTP status ${status}${told.length === 0 ? "" : `: ${told.join(": ")}`}`,
    );
  }

  /** The request has no scopes: the provider then keeps those of the login. */
  private asked(endpoint: string, { clientId, clientSecret, refreshToken }: OidcLogin) {
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    if (clientSecret !== "" && !this.takesSecretInBody) {
      const login = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      headers["authorization"] = `Basic ${Buffer.from(login).toString("base64")}`;
    } else {
      form.set("client_id", clientId);
      if (clientSecret !== "") form.set("client_secret", clientSecret);
    }
    return this.fetched(endpoint, { headers, body: form.toString() });
  }

  /** Sends a POST if there is a body, and a GET otherwise. Redirects are not followed. */
  private async fetched(
    text: string,
    { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<{ readonly status: number; readonly text: string }> {
    const url = new URL(text);
    const found = proxyOf({ kind: "environment" }, url, this.environment);
    const dialer = found && proxyDialer(found, {});
    const ca = this.ca === undefined ? systemRoots(this.environment) : await readTextSource(this.ca);
    const isTls = url.protocol === "https:";
    const sent = (isTls ? requestSecure : requestPlain)(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...headers,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      },
      ...(dialer === undefined ? { agent: false } : { createConnection: connectThrough(dialer, isTls) }),
      ...(isTls && ca !== undefined ? { ca, allowPartialTrustChain: true } : {}),
    });
    sent.end(body);
    try {
      return await answerOf(sent);
    } catch (error) {
      throw new OidcError(`oidc: ${url.origin} cannot be reached: ${(error as Error).message}`, { cause: error });
    }
  }
}

function answerOf(sent: ClientRequest): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    sent.once("close", () => clearTimeout(late));
    sent.once("error", reject);
    sent.once("response", (answer: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let length = 0;
      answer.on("data", (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        if (length > ANSWER_MAX_BYTES) sent.destroy(new Error(`the answer has more than ${ANSWER_MAX_BYTES} bytes`));
      });
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") }),
      );
    });
  });
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = readJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
