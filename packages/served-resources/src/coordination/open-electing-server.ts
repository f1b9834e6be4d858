// Loads the election of leaders, with the client that it uses, only when it is wanted: its gate is off by default.
import type { ElectingServer, ElectingServerDeps } from "./electing-server";

export function openElectingServer(deps: ElectingServerDeps): ElectingServer {
  const { ElectingServer: Opened } = require("./electing-server") as typeof import("./electing-server");
  return new Opened(deps);
}
