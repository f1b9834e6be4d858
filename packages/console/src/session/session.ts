// The credential of the user. It stays in the memory of this page: storage of the browser and addresses can be read by
// other pages of the same origin, such as proxied ones.
import { computed, signal } from "@preact/signals";
import { factsOf } from "./claims";
import { type AssumedIdentity, impersonationHeaders } from "./impersonation-headers";
import { randomText } from "./pkce";
import { names } from "./settings";

export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Identity that requests assume, where the user has the permission `impersonate`. */
export interface Impersonation {
  readonly asked: AssumedIdentity;
  /** The user that the server makes of it. */
  readonly user: User;
}

export type SignIn =
  | { readonly state: "starting" }
  /** @property words why the user is asked */
  | { readonly state: "asking"; readonly words?: string }
  | { readonly state: "signedIn"; readonly user: User };

const token = signal("");
export const signIn = signal<SignIn>({ state: "starting" });
export const impersonation = signal<Impersonation | undefined>(undefined);
/** Why an impersonation has ended without the user's doing. */
export const impersonationEnd = signal<string | undefined>(undefined);
/** The user whose rights requests have: the assumed one, else the own one. */
export const presentUser = computed<User>(
  () => impersonation.value?.user ?? (signIn.value.state === "signedIn" ? signIn.value.user : { username: "" }),
);
/** Whether requests have a token; otherwise the browser's certificate identifies the user, if there is one. */
export const hasToken = computed(() => token.value !== "");
export const tokenFacts = computed(() => factsOf(token.value));

/** Entry of the browser's history whose page had a token. It never holds the token itself. */
const HAD_TOKEN = { hadToken: true };

/** Name of the present sign-in, which the pages that share it know. */
let session = "";

/**
 * Takes a credential. The identity that the former user has assumed is not that of the new one.
 *
 * @param of name of the sign-in that another page has shared
 */
export function useToken(given: string, of = randomText()): void {
  token.value = given;
  session = of;
  endImpersonation();
  markHistory();
}

/** Takes a newer token of the same user. */
export function renewToken(given: string): void {
  token.value = given;
}

export interface HeldToken {
  readonly token: string;
  readonly session: string;
}

/** Returns the token with which the user is signed in; undefined without one. */
export const heldToken = (): HeldToken | undefined =>
  signIn.value.state === "signedIn" && token.value !== "" ? { token: token.value, session } : undefined;

let tellOthers: (session: string) => void = () => undefined;

/** Sets what is called when the user signs out. */
export function whenSignedOut(tell: (session: string) => void): void {
  tellOthers = tell;
}

/** Notes in the present entry of the browser's history that its page has a token. */
export function markHistory(): void {
  if (token.value !== "") history.replaceState(HAD_TOKEN, "");
}

/** Whether an earlier load of this page, in this entry of the history, had a token. */
export const hasLostToken = (): boolean => token.value === "" && history.state?.hadToken === true;

/** Returns the headers of the credential and of the impersonation. @param as identity instead of the present one */
export function credentialHeaders(as?: AssumedIdentity): Record<string, string> {
  const assumed = as ?? impersonation.value?.asked;
  return {
    ...(token.value === "" ? {} : { Authorization: `Bearer ${token.value}` }),
    ...(assumed === undefined ? {} : impersonationHeaders(assumed, names().impersonatedGroups)),
  };
}

/** Goes back to the own identity. @param words why, when the user has not asked for it */
export function endImpersonation(words?: string): void {
  impersonation.value = undefined;
  impersonationEnd.value = words;
}

/** Forgets the credential, and asks again. @param words why the user is asked; absent when the user has signed out */
export function signOut(words?: string): void {
  if (words === undefined && token.value !== "") tellOthers(session);
  token.value = "";
  endImpersonation();
  if (words === undefined) history.replaceState(null, "");
  signIn.value = words === undefined ? { state: "asking" } : { state: "asking", words };
}

/**
 * Takes the token out of the fragment of the link that the server prints, and removes it from the address at once.
 * Returns undefined when the fragment has none.
 */
export function takeTokenOfLink(): string | undefined {
  const fragment = location.hash.slice(1);
  if (fragment.startsWith("/")) return undefined; // a route
  const given = new URLSearchParams(fragment).get("token");
  if (given === null) return undefined;
  history.replaceState(HAD_TOKEN, "", location.pathname + location.search);
  return given;
}
