// Secrets that keep the token of an account. Source: facts, controllers.md "serviceaccount-token".
import { metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface TokenHolder {
  readonly name: string;
  /** "" where the secret does not say. */
  readonly uid: string;
}

/** Of which account of its namespace a secret is to keep a token; undefined for secrets of another type, and those that do not say. */
export function tokenHolder(secret: JsonObject, { secretTypes, annotations }: Vocabulary): TokenHolder | undefined {
  if (secret["type"] !== secretTypes.serviceAccountToken) return undefined;
  const said = metaOf(secret).annotations ?? {};
  const name = said[annotations.serviceAccountName] ?? "";
  return name === "" ? undefined : { name, uid: said[annotations.serviceAccountUid] ?? "" };
}

/** @param account of the secret's namespace */
export function isTokenOf(secret: JsonObject, account: JsonObject, vocabulary: Vocabulary): boolean {
  const holder = tokenHolder(secret, vocabulary);
  const { name, uid } = metaOf(account);
  return holder !== undefined && holder.name === name && (holder.uid === "" || holder.uid === uid);
}
