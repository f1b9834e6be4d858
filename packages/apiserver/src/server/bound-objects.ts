// The objects that tokens rest on, as the server's cache has them.
import { hash } from "node:crypto";
import {
  type BootstrapSecret,
  type BoundObject,
  type BoundObjects,
  readBootstrapSecret,
  type TokenSecret,
} from "@orch/auth";
import { StatusError } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import type { ResourceStorages } from "./resource-storages";

// Each is made once an entry, and goes with it.
const BOUND = {};
const TOKEN = {};
const BOOTSTRAP = {};

export function boundObjects(
  { serviceAccounts, secrets, pods, nodes }: ResourceStorages,
  { secretTypes }: Vocabulary,
): BoundObjects {
  const storages = { ServiceAccount: serviceAccounts, Secret: secrets, Pod: pods, Node: nodes } as const;
  return {
    find: (kind, namespace, name) => storages[kind].peek({ namespace, name })?.made(BOUND, boundObject),
    tokenSecret: (namespace, name) =>
      secrets.peek({ namespace, name })?.made(TOKEN, (entry) => tokenSecret(entry, secretTypes.serviceAccountToken)),
    caughtUp: () => serviceAccounts.caughtUp?.() ?? Promise.resolve(),
  };
}

/** By token id: the same object as long as the Secret is unchanged. */
export function bootstrapSecrets(
  { secrets }: ResourceStorages,
  vocabulary: Vocabulary,
): (tokenId: string) => BootstrapSecret | undefined {
  const namespace = vocabulary.namespaces.system;
  return (id) => {
    const entry = secrets.peek({ namespace, name: `bootstrap-token-${id}` });
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

function tokenSecret(entry: Entry, wantedType: string): TokenSecret {
  const { type, data } = objectOf(entry);
  const token = isObject(data) && type === wantedType ? data["token"] : undefined;
  const digest = typeof token === "string" ? hash("sha256", Buffer.from(token, "base64"), "buffer") : NONE;
  return { ...boundObject(entry), tokenDigest: digest };
}

const NONE = Buffer.alloc(0);

/** One that is too large to be read at once holds no token. */
function objectOf(entry: Entry): JsonObject {
  try {
    return entry.whole();
  } catch (error) {
    if (error instanceof StatusError) return {};
    throw error;
  }
}
