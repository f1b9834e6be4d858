// Signing in with OpenID Connect: the authorization code flow with a proof key, in a window of its own. The verifier stays in the
// memory of this page, so that the code, which the other window passes on, is of no use to others. Source: RFC 7636, OpenID
// Connect Core 1.0, section 3.1.
import { claimsOf } from "../session/claims";
import type { OidcEndpoints, OidcSettings } from "../session/config";
import { newProofKey, randomText } from "../session/pkce";

/** The answer of the issuer, as the window of the sign-in gets it. */
interface Answer {
  readonly state: string;
  readonly code: string | null;
  readonly error: string | null;
}

const CHANNEL = "console-sign-in";

export interface OidcTokens {
  readonly idToken: string;
  /** Absent when the issuer grants none. */
  readonly refreshToken?: string | undefined;
  /** Address that gave them. */
  readonly endpoint: string;
}

/** Returns the address to which the issuer sends the window back. */
const returnAddress = (): string => `${location.origin}${import.meta.env.BASE_URL}`;

/**
 * Opens the issuer's page, and waits for its answer.
 *
 * @throws Error with a text for people, and AbortError when the signal ends the wait
 */
export async function oidcTokens(settings: OidcSettings, signal: AbortSignal): Promise<OidcTokens> {
  // A browser lets a page open a window only while it handles a click, so that the window comes before its address.
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=680");
  if (opened === null) throw new Error("The browser does not let the console open a window: allow it, and try again.");
  try {
    const endpoints = settings.endpoints ?? (await endpointsOf(settings.issuer, signal));
    const { verifier, challenge } = await newProofKey();
    const [state, nonce] = [randomText(), randomText()];
    const answer = answerOf(state, signal);
    const address = new URL(endpoints.authorization);
    const parameters = {
      response_type: "code",
      client_id: settings.clientId,
      redirect_uri: returnAddress(),
      scope: settings.scopes.join(" "),
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    opened.location.href = address.href;
    return await exchange(
      endpoints.token,
      { code: await answer, verifier, nonce, clientId: settings.clientId },
      signal,
    );
  } catch (error) {
    opened.close();
    throw error;
  }
}

/**
 * Passes the issuer's answer on, in the window of the sign-in.
 *
 * @returns whether the address has such an answer, which is removed from it
 */
export function passAnswerOn(): boolean {
  const query = new URLSearchParams(location.search);
  const state = query.get("state");
  if (state === null || (!query.has("code") && !query.has("error"))) return false;
  history.replaceState(null, "", location.pathname);
  const answer: Answer = {
    state,
    code: query.get("code"),
    error: query.get("error_description") ?? query.get("error"),
  };
  new BroadcastChannel(CHANNEL).postMessage(answer);
  window.close();
  return true;
}

/** Reads the issuer's document, where the server has not done so yet. */
async function endpointsOf(issuer: string, signal: AbortSignal): Promise<OidcEndpoints> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await fetch(address, { signal, credentials: "omit" }).catch((error) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  if (!found?.ok)
    throw new Error(
      `The issuer ${issuer} cannot be read from this browser. It must allow requests of ${location.origin} (CORS).`,
    );
  const { authorization_endpoint: authorization, token_endpoint: token } = await found.json();
  return { authorization, token };
}

function answerOf(state: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = () => {
      channel.close();
      reject(new DOMException("The sign-in was cancelled.", "AbortError"));
    };
    signal.addEventListener("abort", end);
    channel.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.state !== state) return; // of another sign-in
      signal.removeEventListener("abort", end);
      channel.close();
      if (data.code === null) reject(new Error(`The issuer refuses the sign-in: ${data.error}`));
      else resolve(data.code);
    };
  });
}

interface Exchange {
  readonly code: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly clientId: string;
}

async function exchange(endpoint: string, of: Exchange, signal: AbortSignal): Promise<OidcTokens> {
  const asked = {
    grant_type: "authorization_code",
    code: of.code,
    redirect_uri: returnAddress(),
    client_id: of.clientId,
    code_verifier: of.verifier,
  };
  const tokens = await tokensOf(endpoint, asked, signal);
  // The server verifies the token; the nonce is known here only.
  if (claimsOf(tokens.idToken)["nonce"] !== of.nonce)
    throw new Error("The issuer's token belongs to another sign-in. Try again.");
  return { ...tokens, endpoint };
}

/**
 * Gets newer tokens for a refresh token. Source: OpenID Connect Core 1.0, section 12.
 *
 * @throws RefusedError when the issuer does not accept the refresh token
 */
export async function refreshed(
  { idToken, refreshToken, endpoint }: OidcTokens,
  clientId: string,
): Promise<OidcTokens> {
  const asked = { grant_type: "refresh_token", refresh_token: refreshToken ?? "", client_id: clientId };
  const tokens = await tokensOf(endpoint, asked);
  if (claimsOf(tokens.idToken)["sub"] !== claimsOf(idToken)["sub"])
    throw new RefusedError("The issuer gives a token of another user.");
  return { refreshToken, endpoint, ...tokens };
}

/** The issuer's answer, which another attempt does not change. */
export class RefusedError extends Error {}

async function tokensOf(
  endpoint: string,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal | null = null,
): Promise<Omit<OidcTokens, "endpoint">> {
  const body = new URLSearchParams(asked);
  const answer = await fetch(endpoint, { method: "POST", body, signal, credentials: "omit" }).catch((error) => {
    if (signal?.aborted) throw error;
    return undefined;
  });
  if (answer === undefined)
    throw new Error(
      `The issuer's token endpoint ${endpoint} gives no answer to this page. It must allow requests of ${location.origin} (CORS). If the server has just started, reload the page.`,
    );
  if (answer.status >= 500) throw new Error(`The issuer's token endpoint answers ${answer.status}. Try again.`);
  const { id_token: idToken, refresh_token: refreshToken, error_description: words, error } = await answer.json();
  if (typeof idToken !== "string")
    throw new RefusedError(`The issuer gives no ID token: ${words ?? error ?? answer.status}`);
  return { idToken, ...(typeof refreshToken === "string" ? { refreshToken } : {}) };
}
