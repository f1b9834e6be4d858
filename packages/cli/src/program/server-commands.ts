// Commands that run and keep servers.
import type { CommandEntry } from "./command";
import { UP_COMMAND } from "./up-command";

export const SERVER_COMMANDS: readonly CommandEntry[] = [
  UP_COMMAND,
  {
    name: "down",
    group: "server",
    summary: "stop a server that runs in the background",
    load: () => import("../commands/server/up/down.js"),
  },
  {
    name: "status",
    group: "server",
    summary: "show health, replicas, leaders, store, certificates and versions of a server",
    load: () => import("../commands/server/status/status.js"),
  },
  {
    name: "top",
    group: "server",
    summary: "show rates of requests, watchers and clients, and sizes of objects",
    load: () => import("../commands/server/top/top.js"),
  },
  {
    name: "deprecations",
    group: "server",
    summary: "show who still uses versions of the API that are going to be removed",
    load: () => import("../commands/server/deprecations/deprecations.js"),
  },
  {
    name: "token",
    group: "server",
    summary: "create, list and delete bootstrap tokens, with which machines join",
    load: () => import("../commands/server/token/token.js"),
  },
  {
    name: "cert",
    group: "server",
    summary: "show, renew and make certificates",
    load: () => import("../commands/server/certificates/cert.js"),
  },
  {
    name: "backup",
    group: "server",
    summary: "write a backup of the store, and check it by reading it",
    load: () => import("../commands/server/backup/backup.js"),
  },
  {
    name: "restore",
    group: "server",
    summary: "make the embedded store of a data directory from a backup",
    load: () => import("../commands/server/backup/restore.js"),
  },
  {
    name: "schedule",
    group: "server",
    summary: "take backups at an interval, and remove old ones",
    load: () => import("../commands/server/backup/schedule.js"),
  },
  {
    name: "store",
    group: "server",
    summary: "show and keep the store of a server: state, members, alarms, snapshots",
    load: () => import("../commands/server/store/store.js"),
  },
  {
    name: "support-bundle",
    group: "server",
    summary: "write a file with what helps to find a fault, without secrets",
    load: () => import("../commands/server/support/support-bundle.js"),
  },
  {
    name: "completion",
    group: "other",
    summary: "print the script with which a shell completes commands and names",
    load: () => import("../commands/server/completion/completion.js"),
  },
];
