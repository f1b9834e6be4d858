// The lists of a client configuration, and changes of their entries by the name of the list.
import type { EditedConfiguration } from "@orch/client";

export type EntryList = "clusters" | "users" | "contexts";

/** Name of the member that holds an entry. */
export const ENTRY_FIELD = { clusters: "cluster", users: "user", contexts: "context" } as const;

export type EntryFields = Readonly<Record<string, unknown>>;

/** Sets fields of an entry. A field that is undefined is removed. */
export function setEntry(file: EditedConfiguration, list: EntryList, name: string, fields: EntryFields): void {
  switch (list) {
    case "clusters":
      file.setCluster(name, fields);
      break;
    case "users":
      file.setUser(name, fields);
      break;
    case "contexts":
      file.setContext(name, fields);
      break;
  }
}

export function deleteEntry(file: EditedConfiguration, list: EntryList, name: string): void {
  switch (list) {
    case "clusters":
      file.deleteCluster(name);
      break;
    case "users":
      file.deleteUser(name);
      break;
    case "contexts":
      file.deleteContext(name);
      break;
  }
}
