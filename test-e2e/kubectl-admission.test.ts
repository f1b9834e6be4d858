// Output of kubectl (Debian's 1.20) for admission plugins that examine pods.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace, { flags: ["--enable-admission-plugins=DenyEscalatingExec"] }));
}, 60_000);

/** Returns the output of a successful or refused command. */
async function said(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await client.run(args);
  return `${stdout}${stderr}`.trim();
}

async function create(object: object): Promise<void> {
  const path = join(client.folder, "object.json");
  writeFileSync(path, JSON.stringify(object));
  await client.print(["create", "-f", path]);
}

test("defaults of a LimitRange and a PriorityClass in a pod", async () => {
  await create({
    ...{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "sizes" } },
    spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "500m" } }] },
  });
  await client.print(["create", "priorityclass", "usual", "--value=7", "--global-default=true", "--description=d"]);
  expect(await said("run", "small", "--image=i", "--restart=Never")).toBe("pod/small created");
  const { metadata, spec } = JSON.parse(await client.print(["get", "pod", "small", "-o", "json"]));
  expect(metadata.annotations).toEqual({
    "kubernetes.io/limit-ranger":
      "LimitRanger plugin set: cpu request for container small; cpu limit for container small",
  });
  expect(spec).toMatchObject({ priorityClassName: "usual", priority: 7, preemptionPolicy: "PreemptLowerPriority" });
  expect(await said("run", "large", "--image=i", "--limits=cpu=2")).toMatch(
    /Error from server \(Forbidden\): pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2$/,
  );
  expect(
    await said("create", "priorityclass", "other", "--value=8", "--global-default=true", "--description=d"),
  ).toMatch(/is forbidden: PriorityClass usual is already marked as default\. Only one default can exist$/);
});

test("a rejected exec into a pod", async () => {
  await create({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "open" } },
    spec: { hostPID: true, nodeName: "n", containers: [{ name: "c", image: "i" }] },
  });
  const refusal =
    'Error from server (Forbidden): pods "open" is forbidden: cannot exec into or attach to a container using host pid';
  for (const args of [
    ["exec", "open", "--", "sh"],
    ["attach", "open"],
  ])
    expect(await said(...args)).toContain(refusal);
});

test("a new node", async () => {
  await create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  expect(await said("describe", "node", "n")).toMatch(/^Taints: +node\.kubernetes\.io\/not-ready:NoSchedule$/m);
});
