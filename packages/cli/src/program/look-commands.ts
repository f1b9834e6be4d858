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
    name: "api-versions",
    group: "look",
    summary: "list the versions of the API that the server has",
    load: () => import("../commands/look/api-versions.js"),
  },
  {
    name: "describe",
    group: "look",
    summary: "show objects with their owners, managers and events",
    load: () => import("../commands/look/describe.js"),
  },
  {
    name: "diff",
    group: "look",
    summary: "show what an apply of files would change",
    load: () => import("../commands/look/diff.js"),
  },
  {
    name: "events",
    group: "look",
    summary: "list events in the order of their time",
    load: () => import("../commands/look/events.js"),
  },
  {
    name: "explain",
    group: "look",
    summary: "show the fields of a resource",
    load: () => import("../commands/look/explain.js"),
  },
  {
    name: "get",
    group: "look",
    summary: "list objects, show them, or follow their changes",
    load: () => import("../commands/look/get.js"),
  },
  {
    name: "history",
    group: "look",
    summary: "show who changed an object, its states, and deleted ones",
    load: () => import("../commands/look/history.js"),
  },
  {
    name: "tree",
    group: "look",
    summary: "show the owners of an object and what it owns",
    load: () => import("../commands/look/tree.js"),
  },
];
