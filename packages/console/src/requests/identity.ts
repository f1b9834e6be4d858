// Finds out as whom the server sees the user.
import { effect } from "@preact/signals";
import type { AssumedIdentity } from "../session/impersonation-headers";
import {
  endImpersonation,
  impersonation,
  impersonationEnd,
  type SignIn,
  signIn,
  signOut,
  type User,
  useToken,
} from "../session/session";
import { json, refusedImpersonation } from "./api";
import { asFailure, remedyOf } from "./failure";

interface Review {
  readonly status?: { readonly userInfo?: User };
}

/** Asks the server for the user of a request, as an assumed identity if one is given. @throws ApiFailure */
async function whoAmI(authentication: string, as?: AssumedIdentity): Promise<User> {
  const path = `/apis/${authentication}/v1/selfsubjectreviews`;
  const body = { apiVersion: `${authentication}/v1`, kind: "SelfSubjectReview" };
  const { status } = await json<Review>(path, { method: "POST", body, ...(as === undefined ? {} : { as }) });
  return status?.userInfo ?? { username: "" };
}

/**
 * Signs in with a token; with an empty one by the browser's certificate.
 *
 * @param words are shown when the server does not know the user
 * @param session name of the sign-in that another page has shared
 */
export async function signInWith(
  given: string,
  authentication: string,
  { words, session }: { readonly words?: string | undefined; readonly session?: string } = {},
): Promise<SignIn> {
  useToken(given, session);
  try {
    const user = await whoAmI(authentication);
    endImpersonation();
    signIn.value = { state: "signedIn", user };
  } catch (error) {
    const failure = asFailure(error);
    const isUnknown = failure.code === 401 || failure.code === 403;
    const refused = given === "" ? words : "The server does not accept this token: it is wrong or has expired.";
    signOut(isUnknown ? refused : `${failure.reason}: ${failure.message} ${remedyOf(failure)}`);
  }
  return signIn.value;
}

/** Assumes an identity, if the server lets the user do so. @throws ApiFailure */
export async function assume(asked: AssumedIdentity, authentication: string): Promise<void> {
  const asking = signIn.peek();
  const user = await whoAmI(authentication, asked);
  if (signIn.peek() !== asking) return; // another user has signed in, or nobody
  impersonationEnd.value = undefined;
  impersonation.value = { asked, user };
}

/**
 * Ends an impersonation that the server no longer allows. The refusal of one request says little: permissions may be limited
 * to some actions, and the assumed user may lack the permission to impersonate in turn.
 */
export function followRefusals(authentication: () => string): void {
  let isAsking = false;
  effect(() => {
    const assumed = refusedImpersonation.value?.assumed;
    if (assumed === undefined || isAsking || impersonation.peek() !== assumed) return;
    isAsking = true;
    whoAmI(authentication(), assumed.asked)
      .catch((error) => {
        const { code, message } = asFailure(error);
        if (code === 403 && impersonation.value === assumed)
          endImpersonation(`The server no longer lets you act as ${assumed.user.username}: ${message}`);
      })
      .finally(() => {
        isAsking = false;
      });
  });
}
