// Priority and fairness as clients and operators meet it: the objects that are there, what they say of themselves, and what becomes of
// requests when seats are scarce.
import { afterAll, beforeAll, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GROUP = "/apis/flowcontrol.apiserver.orch.io/v1beta2";

let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  server = await startServer();
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

test("smoke", async () => {
  console.log(
    (await admin.get(`${GROUP}/flowschemas`, { headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io" } }))
      .text,
  );
  console.log((await admin.get(`${GROUP}/flowschemas/system-leader-election`)).text);
  console.log((await admin.get(`${GROUP}/prioritylevelconfigurations/system`)).text);
  console.log(await admin.get("/debug/api_priority_and_fairness/dump_priority_levels"));
  console.log((await admin.get("/debug/api_priority_and_fairness/dump_queues")).text.slice(0, 300));
  console.log((await admin.get("/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1")).text);
  console.log(
    (await admin.get("/metrics")).text
      .split("\n")
      .filter((l) => /flowcontrol/.test(l) && !/le=|^#/.test(l))
      .join("\n"),
  );
  console.log((await admin.get("/readyz?verbose")).text);
  await new Promise((r) => setTimeout(r, 300));
  console.log((await admin.get(`${GROUP}/flowschemas/system-leader-election`)).text);
});
