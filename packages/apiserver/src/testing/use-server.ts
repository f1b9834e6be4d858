// A server for all tests of a file.

import { afterAll, beforeAll } from "@jest/globals";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "./api-client";

export interface ServerInTests {
  readonly server: RunningServer;
  /** Of the user who may do everything. */
  readonly admin: ApiClient;
}

/** Starts one before the first test and stops it after the last. Call it at the top of a file. @param use is given it once it runs */
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
