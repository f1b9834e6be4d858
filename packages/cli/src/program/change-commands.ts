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
    name: "autoscale",
    group: "change",
    summary: "scale a workload by its use",
    load: () => import("../commands/change/autoscale.js"),
  },
  {
    name: "cordon",
    group: "change",
    summary: "keep new pods off nodes",
    load: () => import("../commands/change/cordon.js"),
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
    name: "drain",
    group: "change",
    summary: "evict the pods of a node",
    load: () => import("../commands/change/drain.js"),
  },
  {
    name: "edit",
    group: "change",
    summary: "edit objects in an editor",
    load: () => import("../commands/change/edit.js"),
  },
  {
    name: "expose",
    group: "change",
    summary: "create a service for the pods of a workload",
    load: () => import("../commands/change/expose.js"),
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
    name: "rollback",
    group: "change",
    summary: "bring a former state of an object back",
    load: () => import("../commands/change/rollback.js"),
  },
  {
    name: "rollout",
    group: "change",
    summary: "follow, repeat, stop and take back rollouts",
    load: () => import("../commands/change/rollout.js"),
  },
  {
    name: "run",
    group: "change",
    summary: "create a pod",
    load: () => import("../commands/change/run.js"),
  },
  {
    name: "scale",
    group: "change",
    summary: "set the number of replicas",
    load: () => import("../commands/change/scale.js"),
  },
  {
    name: "set",
    group: "change",
    summary: "set images, variables and other parts of objects",
    load: () => import("../commands/change/set.js"),
  },
  {
    name: "taint",
    group: "change",
    summary: "set and remove taints of nodes",
    load: () => import("../commands/change/taint.js"),
  },
  {
    name: "uncordon",
    group: "change",
    summary: "let new pods onto nodes again",
    load: () => import("../commands/change/uncordon.js"),
  },
  {
    name: "undelete",
    group: "change",
    summary: "create deleted objects again, from their history",
    load: () => import("../commands/change/undelete.js"),
  },
  {
    name: "wait",
    group: "change",
    summary: "wait until objects fulfil conditions",
    load: () => import("../commands/change/wait.js"),
  },
];
