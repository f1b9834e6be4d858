// Exit codes of the program for store failures, and the advice that it prints. Documented in docs/backup.md, "Damaged stores".
import type { OpenProblem } from "@orch/store";
import { storeFolder } from "./store-commands";

export const EXIT_CODES: Readonly<Record<OpenProblem, number>> = {
  damaged: 20,
  cut: 21,
  gone: 21,
  foreign: 22,
  empty: 23,
  newer: 24,
  inUse: 25,
  noAccess: 26,
  noRoom: 27,
  unreadable: 28,
  exists: 29,
  missing: 30,
};

export function adviceOn(problem: OpenProblem, dataDir: string): string {
  switch (problem) {
    case "damaged":
    case "cut":
    case "foreign":
    case "empty":
      return `restore a backup into another directory, or recover all readable records: orch-apiserver recover --data-dir ${dataDir}`;
    case "gone":
      return `restore a backup, or remove the directory to start with an empty store: ${storeFolder(dataDir)}`;
    case "newer":
      return "start the release that wrote it, or a later one";
    case "inUse":
      return "stop the other process, or choose another --data-dir";
    case "noAccess":
      return "allow this user to read and write it, or choose another --data-dir";
    case "noRoom":
      return "free space on its disk";
    case "unreadable":
      return "check the disk: the operating system cannot read or write it";
    case "exists":
      return "choose another --data-dir, or move the existing store away";
    case "missing":
      return "check --data-dir";
  }
}
