// Commands that change objects.
import type { CommandEntry } from "./command";

export const CHANGE_COMMANDS: readonly CommandEntry[] = [
  {
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
    name: "edit",
    group: "change",
    summary: "edit objects in an editor",
    load: () => import("../commands/change/edit.js"),
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
    name: "rollout",
    group: "change",
    summary: "follow, repeat, stop and take back rollouts",
    load: () => import("../commands/change/rollout.js"),
  },
  {
    name: "scale",
    group: "change",
    summary: "set the number of replicas",
    load: () => import("../commands/change/scale.js"),
  },
  {
    name: "wait",
    group: "change",
    summary: "wait until objects fulfil conditions",
    load: () => import("../commands/change/wait.js"),
  },
];
