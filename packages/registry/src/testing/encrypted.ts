// A store with encrypted values.
import { createHash } from "node:crypto";
import { systemClock } from "@orch/platform";
import {
  aesGcmProvider,
  EncryptingStore,
  type EncryptionProvider,
  IDENTITY,
  type Store,
  ValueProviders,
} from "@orch/store";

const MARKER = "orch:enc:";

/** Wraps a store, which the caller closes. @param keys names of the keys, the first one encrypts; "" for none */
export function encrypted(store: Store, keys: readonly [string, ...string[]]): EncryptingStore {
  return new EncryptingStore(store, { marker: MARKER, clock: systemClock, providersOf: providersUnder(keys) });
}

export function providersUnder([first, ...others]: readonly [string, ...string[]]): () => ValueProviders {
  const deps = { marker: MARKER, clock: systemClock, observe() {} };
  const providers = new ValueProviders(deps, [providerOf(first), ...others.map(providerOf)]);
  return () => providers;
}

const providerOf = (name: string): EncryptionProvider =>
  name === "" ? IDENTITY : aesGcmProvider({ name, secret: createHash("sha256").update(name).digest() });
