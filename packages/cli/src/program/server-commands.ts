// Commands that run and keep servers.
import type { CommandEntry } from "./command";

export const SERVER_COMMANDS: readonly CommandEntry[] = [
  {
    name: "up",
    group: "server",
    summary: "run an API server with all controllers, in the foreground or in the background",
    load: () => import("../commands/server/up/up.js"),
  },
  {
    name: "down",
    group: "server",
    summary: "stop a server that runs in the background",
    load: () => import("../commands/server/up/down.js"),
  },
];
