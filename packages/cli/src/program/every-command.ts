// All commands. The code of each is in a module of its own.
import { ACCESS_COMMANDS } from "./access-commands";
import { CHANGE_COMMANDS } from "./change-commands";
import type { CommandEntry } from "./command";
import { CONNECT_COMMANDS } from "./connect-commands";
import { LOOK_COMMANDS } from "./look-commands";
import { SERVER_COMMANDS } from "./server-commands";

export const COMMANDS: readonly CommandEntry[] = [
  ...LOOK_COMMANDS,
  {
    name: "export",
    group: "move",
    summary: "write the objects of a server to a folder or a file",
    load: () => import("../commands/move/export.js"),
  },
  {
    name: "import",
    group: "move",
    summary: "create the objects of an export in a server, of either vocabulary",
    load: () => import("../commands/move/import.js"),
  },
  {
    name: "replay",
    group: "move",
    summary: "start a server with the objects of a recording",
    load: () => import("../commands/move/replay.js"),
  },
  ...ACCESS_COMMANDS,
  ...CHANGE_COMMANDS,
  ...CONNECT_COMMANDS,
  ...SERVER_COMMANDS,
  {
    name: "options",
    group: "other",
    summary: "list the options that all commands accept",
    load: () => import("../commands/look/options.js"),
  },
  {
    name: "version",
    group: "other",
    summary: "show the versions of the command and of the server",
    load: () => import("../commands/look/version.js"),
  },
];
