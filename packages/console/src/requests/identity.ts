// Finds out as whom the server sees the user.
import { type SignIn, signIn, signOut, type User, useToken } from "../session/session";
import { json } from "./api";
import { asFailure, remedyOf } from "./failure";

interface Review {
  readonly status?: { readonly userInfo?: User };
}

/** Asks the server for the user's own name and groups, impersonation included. @throws ApiFailure */
async function whoAmI(authentication: string): Promise<User> {
  const path = `/apis/${authentication}/v1/selfsubjectreviews`;
  const body = { apiVersion: `${authentication}/v1`, kind: "SelfSubjectReview" };
  const { status } = await json<Review>(path, { method: "POST", body });
  return status?.userInfo ?? { username: "" };
}

/**
 * Signs in with a token; with an empty one by the browser's certificate.
 *
 * @param words are shown when the server does not know the user
 */
export async function signInWith(given: string, authentication: string, words?: string): Promise<SignIn> {
  useToken(given);
  try {
    signIn.value = { state: "signedIn", user: await whoAmI(authentication) };
  } catch (error) {
    const failure = asFailure(error);
    const isUnknown = failure.code === 401 || failure.code === 403;
    const refused = given === "" ? words : "The server does not accept this token: it is wrong or has expired.";
    signOut(isUnknown ? refused : `${failure.reason}: ${failure.message} ${remedyOf(failure)}`);
  }
  return signIn.value;
}
