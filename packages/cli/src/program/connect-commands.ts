// Commands that connect to pods and to the server.
import type { CommandEntry } from "./command";

export const CONNECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: "attach",
    group: "connect",
    summary: "connect to the process that a container runs",
    load: () => import("../commands/connect/attach.js"),
  },
  {
    name: "exec",
    group: "connect",
    summary: "run a command in a container",
    load: () => import("../commands/connect/exec.js"),
  },
  {
    name: "logs",
    aliases: ["log"],
    group: "connect",
    summary: "show the logs of containers",
    load: () => import("../commands/connect/logs.js"),
  },
  {
    name: "port-forward",
    group: "connect",
    summary: "forward ports of this machine to ports of a pod",
    load: () => import("../commands/connect/port-forward.js"),
  },
  {
    name: "proxy",
    group: "connect",
    summary: "serve the API on this machine with the credentials of the user",
    load: () => import("../commands/connect/proxy.js"),
  },
];
