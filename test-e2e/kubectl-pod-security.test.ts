// Pod security with kubectl (Debian's 1.20, and others that are named): output for labels, pods and workloads, and
// warnings.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Kubectl, MORE_CLIENTS, type Printed, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;

const KEY = "pod-security.kubernetes.io";
const RESTRICTED = (container: string) =>
  `allowPrivilegeEscalation != false (container "${container}" must set securityContext.allowPrivilegeEscalation=false), ` +
  `unrestricted capabilities (container "${container}" must set securityContext.capabilities.drop=["ALL"]), ` +
  `runAsNonRoot != true (pod or container "${container}" must set securityContext.runAsNonRoot=true), ` +
  `seccompProfile (pod or container "${container}" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`;

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: nginx}]}
`;
const SAFE = `
apiVersion: v1
kind: Pod
metadata: {name: safe}
spec:
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: nginx
    image: nginx
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`;

beforeAll(async () => {
  const started = await startWithKubectl(workplace, {
    flags: ["--emulated-release=1.26", "--disable-admission-plugins=ServiceAccount"],
  });
  client = started.client;
  writeFileSync(join(client.folder, "deployment.yaml"), DEPLOYMENT);
  writeFileSync(join(client.folder, "safe.yaml"), SAFE);
}, 60_000);

describe.each(["Debian's kubectl", ...MORE_CLIENTS])("%s", (name) => {
  const namespace = `shop-${1 + MORE_CLIENTS.indexOf(name)}`;
  const kubectl = (...args: readonly string[]): Promise<Printed> =>
    (MORE_CLIENTS.includes(name) ? client.of(name) : client).run(["-n", namespace, ...args]);
  const label = (...labels: readonly string[]) => kubectl("label", "ns", namespace, "--overwrite", ...labels);
  const file = (what: string) => join(client.folder, `${what}.yaml`);

  beforeAll(async () => {
    expect((await kubectl("create", "ns", namespace)).code).toBe(0);
  });

  test("is told which pods a stricter label would have refused", async () => {
    expect((await kubectl("run", "one", "--image=nginx")).code).toBe(0);
    expect((await kubectl("run", "two", "--image=nginx")).code).toBe(0);
    const expected = [
      `Warning: existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "restricted:latest"`,
      "Warning: one (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
      "",
    ].join("\n");
    const dry = await label(`${KEY}/enforce=restricted`, "--dry-run=server");
    expect([dry.code, dry.stderr]).toEqual([0, expected]);
    const done = await label(`${KEY}/enforce=restricted`);
    expect([done.code, done.stderr, done.stdout]).toEqual([0, expected, `namespace/${namespace} labeled\n`]);
  });

  test("is told why a pod may not run", async () => {
    const { code, stderr } = await kubectl("run", "nginx", "--image=nginx");
    expect([code, stderr]).toEqual([
      1,
      `Error from server (Forbidden): pods "nginx" is forbidden: violates PodSecurity "restricted:latest": ${RESTRICTED("nginx")}\n`,
    ]);
  });

  test("may run a pod that keeps the rules", async () => {
    const { code, stdout, stderr } = await kubectl("apply", "-f", file("safe"));
    expect([code, stdout, stderr]).toEqual([0, "pod/safe created\n", ""]);
  });

  test.each(["--server-side=false", "--server-side=true"])("is warned when it applies a deployment %s", async (how) => {
    const { code, stderr } = await kubectl("apply", how, "-f", file("deployment"));
    expect([code, stderr]).toEqual([
      0,
      `Warning: would violate PodSecurity "restricted:latest": ${RESTRICTED("nginx")}\n`,
    ]);
    await kubectl("delete", "deployment", "web");
  });

  test("is told of a label that means nothing", async () => {
    const { code, stderr } = await label(`${KEY}/warn=strict`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `metadata.labels[${KEY}/warn]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
    );
  });

  test("may take the label off", async () => {
    const { code, stderr } = await label(`${KEY}/enforce-`);
    expect([code, stderr]).toEqual([0, ""]);
    expect((await kubectl("run", "three", "--image=nginx")).code).toBe(0);
  });
});
