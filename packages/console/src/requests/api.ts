// Requests to the API server with the user's credential.
import { signal as stateOf } from "@preact/signals";
import type { AssumedIdentity } from "../session/impersonation-headers";
import { credentialHeaders, hasToken, type Impersonation, impersonation, signIn, signOut } from "../session/session";
import { asFailure, failureOf, unreachable } from "./failure";

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters that are undefined are left out. */
  readonly query?: Query;
  /** A text is sent as it is; other values as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Statuses besides 2xx whose answer is returned, such as 500 of a health check that fails. */
  readonly accepted?: readonly number[];
  /** Identity that the request assumes instead of the present one. */
  readonly as?: AssumedIdentity;
}

/** The impersonation of the last request that the server refused for it. It may allow others: see `requests/identity.ts`. */
export const refusedImpersonation = stateOf<{ readonly assumed: Impersonation } | undefined>(undefined);
const CANNOT_IMPERSONATE = /\bcannot impersonate/;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Sends a request. @throws ApiFailure unless the server answers 2xx or an accepted status, and AbortError when the signal ends it */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const {
    method = "GET",
    query = {},
    body,
    accept = "application/json",
    contentType,
    signal,
    accepted = [],
    as,
  } = options;
  const assumed = impersonation.value;
  const headers: Record<string, string> = { Accept: accept, ...credentialHeaders(as) };
  if (body !== undefined) headers["Content-Type"] = contentType ?? "application/json";
  let answer: Response;
  try {
    answer = await fetch(withQuery(path, query), {
      method,
      headers,
      cache: "no-store",
      redirect: "error",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
  if (answer.ok || accepted.includes(answer.status)) return answer;
  const failure = failureOf(answer.status, await bodyOf(answer), answer.headers.get("Retry-After"));
  if (answer.status === 401 && signIn.value.state === "signedIn")
    signOut(
      hasToken.value
        ? "The server no longer accepts the token: it may have expired. Sign in again."
        : "The server asks for a credential.",
    );
  if (answer.status === 403 && as === undefined && assumed !== undefined && CANNOT_IMPERSONATE.test(failure.message))
    refusedImpersonation.value = { assumed };
  throw failure;
}

/** @throws ApiFailure, also when the answer is not JSON */
export async function json<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const answer = await request(path, options);
  try {
    return (await answer.json()) as T;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const text = parameters.toString();
  if (text === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${text}`;
}

export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

/** Reports whether a request fails for a reason that may pass: no answer, too many requests, a server that starts. */
export function mayPass(error: unknown): boolean {
  const { code } = asFailure(error);
  return code === 0 || code === 429 || code >= 500;
}

async function bodyOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}
