// Commands that show objects and resources.
import type { CommandEntry } from "./command";

export const LOOK_COMMANDS: readonly CommandEntry[] = [
  {
    name: "api-resources",
    group: "look",
    summary: "list the resources that the server has",
    load: () => import("../commands/look/api-resources.js"),
  },
  {
    name: "get",
    group: "look",
    summary: "list objects, show them, or follow their changes",
    load: () => import("../commands/look/get.js"),
  },
];
