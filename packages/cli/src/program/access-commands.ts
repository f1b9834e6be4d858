// Commands about users, their rights and their credentials.
import type { CommandEntry } from "./command";

export const ACCESS_COMMANDS: readonly CommandEntry[] = [
  {
    name: "auth",
    group: "access",
    summary: "ask who may do what, and why",
    load: () => import("../commands/access/auth.js"),
  },
  {
    name: "config",
    group: "access",
    summary: "show, check and change the client configuration",
    load: () => import("../commands/access/config/config.js"),
  },
  {
    name: "whoami",
    group: "access",
    summary: "show the user that the server sees",
    load: () => import("../commands/access/whoami-command.js"),
  },
];
