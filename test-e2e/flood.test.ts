// One user floods the server while another one works: only the former is throttled.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import type { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const FLOWS = "/apis/flowcontrol.apiserver.orch.io/v1beta2";
const maps = configMapsPath();
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  const apiGroup = "rbac.authorization.orch.io";
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "workers" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup, kind: "Group", name: "workers" }],
  };
  await expectStatus(201, server.admin.post(`/apis/${apiGroup}/v1/clusterrolebindings`, binding));
  // Two users hardly ever share one of so many queues.
  const queuing = { queues: 1_000_000, handSize: 1, queueLengthLimit: 20 };
  const limited = { assuredConcurrencyShares: 1, limitResponse: { type: "Queue", queuing } };
  const level = { metadata: { name: "workers" }, spec: { type: "Limited", limited } };
  await expectStatus(201, server.admin.post(`${FLOWS}/prioritylevelconfigurations`, level));
  const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
  const schema = {
    metadata: { name: "workers" },
    spec: {
      matchingPrecedence: 100,
      priorityLevelConfiguration: { name: "workers" },
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [{ kind: "Group", group: { name: "workers" } }], resourceRules: [everything] }],
    },
  };
  const made = await expectStatus(201, server.admin.post(`${FLOWS}/flowschemas`, schema));
  const probe = worker("probe");
  await eventually("requests go by it", async () => {
    return (await probe.get(maps)).headers["x-orch-pf-flowschema-uid"] === made.metadata["uid"];
  });
}, 60_000);

const worker = (name: string): ApiClient => server.client(server.authority.user(name, ["workers"]));

test("flooding clients receive 429, others are served, and no resources leak", async () => {
  const flooder = worker("flooder");
  const told: string[] = [];
  let quietIsDone = false;
  let written = 0;
  const flood = inParallel(50, 50, async () => {
    while (!quietIsDone) {
      const { status, headers } = await flooder.post(maps, configMap(`flood-${written++}`));
      told.push(`${status} ${headers["retry-after"] ?? ""}`);
    }
  });
  await eventually("the flood is there", async () => told.some((answer) => answer.startsWith("429")));
  const quiet = worker("quiet");
  const anybody = server.client(server.authority.anonymous());
  for (let at = 0; at < 10; at += 1) {
    await expectStatus(201, quiet.post(maps, configMap(`quiet-${at}`)));
    await expectStatus(200, quiet.get(`${maps}/quiet-${at}`));
    expect((await anybody.get("/readyz")).status).toBe(200);
  }
  quietIsDone = true;
  await flood;
  expect([...new Set(told)].sort()).toEqual(["201 ", "429 1"]);
  await eventually("nothing is left", async () => {
    const { body } = await server.admin.get("/debug/api_priority_and_fairness/dump_priority_levels");
    const [, active, isIdle, , waiting, executing] =
      body
        .split("\n")
        .find((line) => line.startsWith("workers,"))
        ?.split(/, */) ?? [];
    return [active, isIdle, waiting, executing].join() === "0,true,0,0";
  });
}, 60_000);
