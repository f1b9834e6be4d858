// FlowSchemas and PriorityLevelConfigurations with kubectl (Debian's 1.20), and their effect on its requests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;

const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);
const rows = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace));
}, 60_000);

test("shows those that every server has", async () => {
  const levels = rows(await kubectl("get", "prioritylevelconfigurations"));
  expect(
    levels.map(([name, type, shares, queues, hand, length]) => [name, type, shares, queues, hand, length]),
  ).toEqual([
    ["NAME", "TYPE", "ASSUREDCONCURRENCYSHARES", "QUEUES", "HANDSIZE", "QUEUELENGTHLIMIT"],
    ["catch-all", "Limited", "5", "<none>", "<none>", "<none>"],
    ["exempt", "Exempt", "<none>", "<none>", "<none>", "<none>"],
    ["global-default", "Limited", "20", "128", "6", "50"],
    ["leader-election", "Limited", "10", "16", "4", "50"],
    ["node-high", "Limited", "40", "64", "6", "50"],
    ["system", "Limited", "30", "64", "6", "50"],
    ["workload-high", "Limited", "40", "128", "6", "50"],
    ["workload-low", "Limited", "100", "128", "6", "50"],
  ]);
  await eventually("every schema has its level", async () => {
    const schemas = rows(await kubectl("get", "flowschemas"));
    return schemas.length === 13 && schemas.slice(1).every((row) => row.at(-1) === "False");
  });
  expect(await kubectl("describe", "flowschema", "global-default")).toMatch(
    /Matching Precedence: +9900[\s\S]*Reason: +Found[\s\S]*Type: +Dangling/,
  );
  expect(await kubectl("describe", "prioritylevelconfiguration", "system")).toMatch(/Assured Concurrency Shares: +30/);
});

test("makes, edits and deletes them, by the versions that it knows", async () => {
  const file = join(client.folder, "flows.json");
  const apiVersion = "flowcontrol.apiserver.k8s.io/v1beta1";
  const items = [
    {
      apiVersion,
      kind: "PriorityLevelConfiguration",
      metadata: { name: "batch" },
      spec: {
        type: "Limited",
        limited: { assuredConcurrencyShares: 2, limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2 } } },
      },
    },
    {
      apiVersion,
      kind: "FlowSchema",
      metadata: { name: "batch" },
      spec: {
        matchingPrecedence: 300,
        priorityLevelConfiguration: { name: "batch" },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "batch" } }],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["*"] }],
          },
        ],
      },
    },
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  expect(await kubectl("apply", "-f", file)).toBe(
    "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/batch created\nflowschema.flowcontrol.apiserver.k8s.io/batch created\n",
  );
  const uid = (await kubectl("get", "flowschema", "batch", "-o", "jsonpath={.metadata.uid}")).trim();
  await eventually("its requests go there", async () => {
    const { stderr } = await client.run(["--as=batch", "get", "--raw", "/version", "-v=8"]);
    return stderr.toLowerCase().includes(`pf-flowschema-uid: ${uid}`);
  });
  expect(
    await client.run(["edit", "prioritylevelconfiguration", "batch"], {
      KUBE_EDITOR: "sed -i s/Shares:.2/Shares:\\ 4/",
    }),
  ).toMatchObject({ stdout: "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/batch edited\n" });
  expect(await kubectl("get", "prioritylevelconfiguration", "batch", "-o", "jsonpath={.spec.limited}")).toMatch(
    /"assuredConcurrencyShares":4/,
  );
  await kubectl("delete", "prioritylevelconfiguration", "batch");
  await eventually("the schema says so", async () => {
    const [, row] = rows(await kubectl("get", "flowschema", "batch"));
    return row?.at(-1) === "True";
  });
  await kubectl("delete", "flowschema", "batch");
});

test("reads the tables for people", async () => {
  const [head, ...levels] = (await kubectl("get", "--raw", "/debug/api_priority_and_fairness/dump_priority_levels"))
    .trim()
    .split("\n");
  expect(head).toMatch(/^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, /);
  expect(levels.length).toBeGreaterThanOrEqual(7);
  await expect(kubectl("--as=jane", "get", "--raw", "/debug/api_priority_and_fairness/dump_queues")).rejects.toThrow(
    /forbidden/i,
  );
});
