// The provider of OpenID Connect, as `login` and `logout` use it. Sources: OpenID Connect Discovery 1.0; RFC 8252.
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { systemRoots } from "@orch/platform";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";

export const openidClient = () => import("openid-client");
type OpenidClient = Awaited<ReturnType<typeof openidClient>>;
export type Provider = InstanceType<OpenidClient["Configuration"]>;

/** Answer of the provider to a login. */
export interface Tokens {
  readonly id_token?: string | undefined;
  readonly refresh_token?: string | undefined;
  /** Claims of the ID token, which was verified. */
  claims(): { readonly sub: string; readonly exp: number } | undefined;
}

/** Settings of a provider: from options, or stored with the user. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** PEM of the issuer's authorities; absent: those of the system. */
  readonly ca?: string;
}

const ANSWER_MAX_BYTES = 1024 * 1024;
const TIMEOUT_S = 30;
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Reads the provider's discovery document. @throws CliError */
export async function discover(session: Session, settings: ProviderSettings): Promise<Provider> {
  const { issuer, clientId, clientSecret, ca } = settings;
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined) throw new CliError(`--issuer: ${JSON.stringify(issuer)} is not a URL`);
  const isLocal = url.protocol === "http:" && LOCAL.test(url.hostname);
  if (url.protocol !== "https:" && !isLocal) throw new CliError("--issuer: tokens need TLS: use a URL with https");
  const openid = await openidClient();
  const roots = ca ?? systemRoots(session.io.environment);
  return told(issuer, () =>
    openid.discovery(url, clientId, clientSecret, undefined, {
      [openid.customFetch]: (target, options) => fetched(target, options as FetchOptions, roots),
      timeout: TIMEOUT_S,
      execute: [...(isLocal ? [openid.allowInsecureRequests] : []), openid.enableNonRepudiationChecks],
    }),
  );
}

/** Runs a step with the provider and tells its errors as one line. */
export async function told<Made>(issuer: string, step: () => Promise<Made>): Promise<Made> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`the issuer ${issuer}: ${reasonOf(error)}`);
  }
}

/** Returns the reason: what the provider said, or the innermost cause. */
function reasonOf(error: unknown): string {
  const { error: code, error_description: text, message, cause } = error as Readonly<Record<string, unknown>>;
  if (typeof code === "string") return typeof text === "string" ? `${code}: ${text}` : code;
  // The library says only "something went wrong" of errors that it passes on.
  if (cause instanceof Error)
    return /something went wrong/.test(String(message)) ? reasonOf(cause) : `${String(message)}: ${reasonOf(cause)}`;
  return String(message ?? error);
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | Uint8Array | null;
  readonly signal?: AbortSignal;
}

/** Fetches over TLS with the given authorities. Redirects are not followed. */
function fetched(
  target: string,
  { method, headers, body, signal }: FetchOptions,
  ca: string | readonly string[] | undefined,
): Promise<Response> {
  const url = new URL(target);
  const isTls = url.protocol === "https:";
  const bytes =
    body === undefined || body === null ? undefined : Buffer.from(body instanceof Uint8Array ? body : String(body));
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(bytes && { "content-length": bytes.length }) },
    agent: false,
    ...(signal && { signal }),
    ...(isTls && ca !== undefined && { ca, allowPartialTrustChain: true }),
  };
  return new Promise((resolve, reject) => {
    const sent = (isTls ? secureRequest : plainRequest)(url, options, (answer) => bodyOf(answer).then(resolve, reject));
    sent.once("error", reject);
    sent.end(bytes);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<Response> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
  }
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const status = answer.statusCode ?? 502;
  return new Response(status === 204 ? null : Buffer.concat(pieces), { status, headers });
}

/** Reads a file of an option. */
export function fileText(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`${option}: ${(error as Error).message}`);
  }
}
