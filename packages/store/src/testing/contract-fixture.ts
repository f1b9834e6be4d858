// Shared helpers of the store contract tests: unique keys, and shorthands for writes.

import type { Revision, Store } from "../contract/contract";

let folders = 0;

/** Returns keys under a prefix that no other test uses. */
export function folder() {
  const prefix = `/contract-${process.pid}-${folders++}/`;
  return { key: (name: string) => `${prefix}${name}`, all: { start: prefix, end: `${prefix.slice(0, -1)}0` } };
}

export function writing(opened: () => Store) {
  return {
    put: async (key: string, value: string): Promise<Revision> =>
      (await opened().txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value) }] })).revision,
    remove: async (key: string): Promise<Revision> =>
      (await opened().txn({ compare: [], then: [{ kind: "delete", start: key }] })).revision,
    now: async (): Promise<Revision> => (await opened().range({ start: "\0" })).revision,
  };
}
