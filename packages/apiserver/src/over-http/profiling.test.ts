// Profiles of the server, for authorized users. A heap snapshot here would contain the test runner's heap: test-e2e
// takes one.
import { expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let admin: ApiClient;
useServer(
  (running) => {
    server = running.server;
    admin = running.admin;
  },
  { flags: { "authorization-mode": ["RBAC"] } },
);

test("are listed, and taken in the forms of V8", async () => {
  expect((await admin.get("/debug/pprof/")).text).toContain("profile?seconds=30");
  expect((await admin.get("/debug/pprof")).code).toBe(200);
  const profile = await admin.get("/debug/pprof/profile?seconds=0.05");
  expect([profile.code, profile.json]).toEqual([200, expect.objectContaining({ nodes: expect.any(Array) })]);
  const sampled = await admin.get("/debug/pprof/heap?seconds=0.05");
  expect(sampled.json).toMatchObject({ head: expect.anything() });
  expect((await admin.get("/debug/pprof/nonsense")).code).toBe(404);
  expect((await admin.ask("POST", "/debug/pprof/heap")).code).toBe(405);
});

test("are taken one at a time", async () => {
  const answers = await Promise.all([1, 2].map(() => admin.get("/debug/pprof/profile?seconds=0.3")));
  expect(answers.map(({ code }) => code).sort()).toEqual([200, 429]);
});

test("are refused to users without the right", async () => {
  const user = new ApiClient(server, server.issueClient({ name: "jane" }));
  for (const path of ["/debug/pprof/", "/debug/pprof/heap"]) expect((await user.get(path)).code).toBe(403);
  user.close();
});

test("are not served with --profiling=false", async () => {
  const quiet = await startServer({ flags: { profiling: false } });
  const client = new ApiClient(quiet, quiet.admin);
  for (const path of ["/debug/pprof/", "/debug/pprof/heap"]) expect((await client.get(path)).code).toBe(404);
  client.close();
  await quiet.stop();
});
