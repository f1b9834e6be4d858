// Renews the ID token of a sign-in at an issuer before it expires, by the refresh token of the issuer. Both stay in the memory of
// this page. Where the issuer grants no refresh token, or no longer accepts it, the user is asked while the token is still valid.
import { effect, signal } from "@preact/signals";
import { claimsOf } from "../session/claims";
import type { OidcSettings } from "../session/config";
import { heldToken, renewToken } from "../session/session";
import { timeNow } from "../values/clock";
import { type OidcTokens, oidcTokens, RefusedError, refreshed } from "./oidc";

/** Why the user is asked to sign in again; undefined while they are not. */
export const renewalWords = signal<string | undefined>(undefined);

/** Longest time before the expiry at which a token is renewed; a shorter lifetime is renewed in its last quarter. */
const LEAD_MS = 60_000;
/** Pause between two renewals, and after an attempt without an answer. */
const PAUSE_MS = 5000;
/** Longest delay of a timer; a later expiry is looked at again. */
const DELAY_MAX_MS = 3_600_000;

interface Renewing {
  readonly settings: OidcSettings;
  tokens: OidcTokens;
  /** Name of the sign-in; a later one has tokens of its own. */
  readonly session: string;
}

let renewing: Renewing | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Renews the token of the present sign-in from now on. */
export function keepRenewed(settings: OidcSettings, tokens: OidcTokens): void {
  const held = heldToken();
  if (held === undefined) return;
  end();
  renewing = { settings, tokens, session: held.session };
  schedule(renewing);
}

/** Signs in at the issuer again. The page keeps its place. */
export async function signInAgain(ending: AbortSignal): Promise<void> {
  const of = renewing;
  if (of === undefined) return;
  const tokens = await oidcTokens(of.settings, ending);
  if (of !== renewing) return;
  if (claimsOf(tokens.idToken)["sub"] !== claimsOf(of.tokens.idToken)["sub"])
    throw new Error("This is another user. Sign out first, to sign in as another user.");
  take(of, tokens);
}

function take(of: Renewing, tokens: OidcTokens): void {
  of.tokens = tokens;
  renewalWords.value = undefined;
  renewToken(tokens.idToken);
  schedule(of, PAUSE_MS);
}

function schedule(of: Renewing, leastMs = 0): void {
  const leftMs = expiryMs(of.tokens) - timeNow();
  if (Number.isNaN(leftMs)) return;
  const delayMs = Math.max(leastMs, leftMs - Math.min(LEAD_MS, Math.max(0, leftMs) / 4));
  clearTimeout(timer);
  timer = setTimeout(
    () => {
      if (delayMs > DELAY_MAX_MS) schedule(of);
      else renew(of);
    },
    Math.min(delayMs, DELAY_MAX_MS),
  );
}

async function renew(of: Renewing): Promise<void> {
  if (of.tokens.refreshToken === undefined) {
    renewalWords.value = "Your sign-in is about to expire.";
    return;
  }
  try {
    const tokens = await refreshed(of.tokens, of.settings.clientId);
    if (of === renewing) take(of, tokens);
  } catch (error) {
    if (of !== renewing) return;
    renewalWords.value = `Your sign-in is about to expire, and could not be renewed. ${(error as Error).message}`;
    if (!(error instanceof RefusedError)) timer = setTimeout(() => renew(of), PAUSE_MS);
  }
}

const expiryMs = ({ idToken }: OidcTokens): number => Number(claimsOf(idToken)["exp"] ?? Number.NaN) * 1000;

function end(): void {
  clearTimeout(timer);
  renewing = undefined;
  renewalWords.value = undefined;
}

// The tokens are forgotten with the sign-in that they are of.
effect(() => {
  const held = heldToken();
  if (renewing !== undefined && held?.session !== renewing.session) end();
});
