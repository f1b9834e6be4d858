// All commands. The code of each is in a module of its own.
import { ACCESS_COMMANDS } from "./access-commands";
import type { CommandEntry } from "./command";
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
  ...SERVER_COMMANDS,
    name: "annotate",
    group: "change",
    summary: "set and remove annotations of objects",
    load: () => import("../commands/change/annotate.js"),
  },
  {
    name: "apply",
    group: "change",
    summary: "make objects as files describe them",
    load: () => import("../commands/change/apply.js"),
  },
  {
    name: "create",
    group: "change",
    summary: "create objects",
    load: () => import("../commands/change/create.js"),
  },
  {
    name: "delete",
    group: "change",
    summary: "delete objects, and wait until they are gone",
    load: () => import("../commands/change/delete.js"),
  },
  {
    name: "label",
    group: "change",
    summary: "set and remove labels of objects",
    load: () => import("../commands/change/label.js"),
  },
  {
    name: "patch",
    group: "change",
    summary: "change fields of objects with a patch",
    load: () => import("../commands/change/patch.js"),
  },
  {
    name: "replace",
    group: "change",
    summary: "replace objects by those of files",
    load: () => import("../commands/change/replace.js"),
  },
  {
    name: "scale",
    group: "change",
    summary: "set the number of replicas",
    load: () => import("../commands/change/scale.js"),
  },
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
