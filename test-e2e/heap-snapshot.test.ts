// A heap snapshot of a server process.
import { expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

test("a heap snapshot has the form of V8, and the server goes on after it", async () => {
  const server = await startApiServer(workplace, { store: { kind: "memory" } });
  const { status, body } = await server.admin.send("/debug/pprof/heap", { timeoutMs: 100_000 });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ snapshot: { meta: expect.anything() }, nodes: expect.any(Array) });
  expect((await server.admin.get("/readyz")).status).toBe(200);
}, 120_000);
