// Secrets that keep the token of a service account. Source: Kubernetes documentation, "Secrets", "ServiceAccount token
// Secrets".
import { metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface TokenHolder {
  readonly name: string;
  /** "" when the Secret does not name a UID. */
  readonly uid: string;
}

/**
 * Returns the service account, in the Secret's namespace, whose token the Secret is to keep; undefined for Secrets of
 * another type and those that name no account.
 */
export function tokenHolder(secret: JsonObject, { secretTypes, annotations }: Vocabulary): TokenHolder | undefined {
  if (secret["type"] !== secretTypes.serviceAccountToken) return undefined;
  const said = metaOf(secret).annotations ?? {};
  const name = said[annotations.serviceAccountName] ?? "";
  return name === "" ? undefined : { name, uid: said[annotations.serviceAccountUid] ?? "" };
}

/** @param account an account in the Secret's namespace */
export function isTokenOf(secret: JsonObject, account: JsonObject, vocabulary: Vocabulary): boolean {
  const holder = tokenHolder(secret, vocabulary);
  const { name, uid } = metaOf(account);
  return holder !== undefined && holder.name === name && (holder.uid === "" || holder.uid === uid);
}
