// Shares one server among all tests of a file.

import { afterAll, beforeAll } from "@jest/globals";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "./api-client";

export interface ServerInTests {
  readonly server: RunningServer;
  /** Client of the user with all permissions. */
  readonly admin: ApiClient;
}

/**
 * Starts a server before the first test and stops it after the last one. Call it at the top of a file.
 * @param use called with the running server
 */
export function useServer(use: (running: ServerInTests) => void, options: StartOptions = {}): void {
  let running: ServerInTests | undefined;
  beforeAll(async () => {
    const server = await startServer(options);
    running = { server, admin: new ApiClient(server, server.admin) };
    use(running);
  });
  afterAll(async () => {
    running?.admin.close();
    await running?.server.stop();
  });
}
