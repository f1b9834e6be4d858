// The objects to which tokens are bound, read from the server's cache.
import { hash } from "node:crypto";
import {
  type BootstrapSecret,
  type BoundObject,
  type BoundObjects,
  readBootstrapSecret,
  type TokenSecret,
} from "@orch/auth";
import { BOOTSTRAP_SECRET_PREFIX, metaOf, StatusError } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import type { ResourceStorages } from "@orch/served-resources";

// Cache key of values made from an entry; they are dropped with it.
const BOUND = {};
const TOKEN = {};
const REFERENCES = {};
const BOOTSTRAP = {};

export function boundObjects(
  { serviceAccounts, secrets, pods, nodes }: ResourceStorages,
  vocabulary: Vocabulary,
): BoundObjects {
  const storages = { ServiceAccount: serviceAccounts, Secret: secrets, Pod: pods, Node: nodes } as const;
  return {
    find: (kind, namespace, name) => storages[kind].peek({ namespace, name })?.made(BOUND, boundObject),
    tokenSecret: (namespace, name) =>
      secrets.peek({ namespace, name })?.made(TOKEN, (entry) => tokenSecret(entry, vocabulary)),
    refersTo: (account, secretName) =>
      serviceAccounts.peek(account)?.made(REFERENCES, referredSecrets).has(secretName) ?? false,
    caughtUp: () => serviceAccounts.caughtUp?.() ?? Promise.resolve(),
  };
}

/** Looks up a Secret by token id. Returns the same object as long as the Secret is unchanged. */
export function bootstrapSecrets(
  { secrets }: ResourceStorages,
  vocabulary: Vocabulary,
): (tokenId: string) => BootstrapSecret | undefined {
  const namespace = vocabulary.namespaces.system;
  return (id) => {
    const entry = secrets.peek({ namespace, name: `${BOOTSTRAP_SECRET_PREFIX}${id}` });
    return entry?.made(BOOTSTRAP, () => readBootstrapSecret(objectOf(entry), vocabulary));
  };
}

function boundObject(entry: Entry): BoundObject {
  const deleted = entry.metadata("deletionTimestamp");
  return {
    uid: String(entry.metadata("uid")),
    deletedAtMs: typeof deleted === "string" ? Date.parse(deleted) : undefined,
  };
}

function tokenSecret(entry: Entry, { secretTypes, labels: keys }: Vocabulary): TokenSecret {
  const secret = objectOf(entry);
  const { type, data } = secret;
  const token = isObject(data) && type === secretTypes.serviceAccountToken ? data["token"] : undefined;
  const digest = typeof token === "string" ? hash("sha256", Buffer.from(token, "base64"), "buffer") : NONE;
  const labels = metaOf(secret).labels ?? {};
  return {
    ...boundObject(entry),
    tokenDigest: digest,
    lastUsed: labels[keys.legacyTokenLastUsed] ?? "",
    invalidSince: labels[keys.legacyTokenInvalidSince] ?? "",
  };
}

function referredSecrets(account: Entry): ReadonlySet<unknown> {
  const { secrets } = objectOf(account);
  return new Set(Array.isArray(secrets) ? secrets.map((each) => (isObject(each) ? each["name"] : undefined)) : []);
}

const NONE = Buffer.alloc(0);

/** A Secret that is too large to be read at once contains no token. */
function objectOf(entry: Entry): JsonObject {
  try {
    return entry.whole();
  } catch (error) {
    if (error instanceof StatusError) return {};
    throw error;
  }
}
