// The command that starts a server. It is in a bundle of its own, too: see server-main.ts.
import type { CommandEntry } from "./command";

export const UP_COMMAND: CommandEntry = {
  name: "up",
  group: "server",
  summary: "run an API server with all controllers, in the foreground or in the background",
  load: () => import("../commands/server/up/up.js"),
};
