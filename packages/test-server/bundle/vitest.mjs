// Setup file of vitest: gives the tests of a file the server of their worker.
import { afterAll, afterEach, beforeAll } from "vitest";
import own from "./runner.cjs";

export const server = new own.PooledServer(process.env.VITEST_POOL_ID ?? "1");

beforeAll(() => server.begin());
afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await server.explain();
});
afterAll(() => server.end());
