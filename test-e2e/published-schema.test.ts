// Use of the published schema by kubectl: explain, client-side validation, api-resources.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Kubectl, MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { tool, useWorkplace } from "./harness/processes";

/** Debian's client, and others that are named. */
const CLIENTS = [tool("kubectl"), ...MORE_CLIENTS];

const workplace = useWorkplace();
let client: Kubectl;

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace));
}, 60_000);

const POD = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" } };

describe.each(CLIENTS)("%s", (program) => {
  const run = (...args: readonly string[]): Promise<string> => client.of(program).print(args);

  function written(name: string, object: object): string {
    const path = join(client.folder, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  }

  test("explains a field with everything under it", async () => {
    const text = await run("explain", "pod.spec.containers", "--recursive");
    expect(text).toMatch(/KIND:\s+Pod\nVERSION:\s+v1\n/);
    expect(text).toMatch(/\n +livenessProbe\s+<(Object|Probe)>[\s\S]*\n +httpGet\s/);
  });

  test("explains a kind of a group, and its defaults and marks", async () => {
    const text = await run("explain", "deployment", "--api-version=apps/v1");
    expect(text).toMatch(/KIND:\s+Deployment/);
    expect(text).toMatch(/apiVersion\s+<string>\n\s+\S/);
    expect(await run("explain", "deployment.spec", "--api-version=apps/v1")).toMatch(/selector.*-required-/);
  });

  test.each([
    ["pod", "One or more containers that run together on a node"],
    ["deployment.spec.strategy", "RollingUpdate, the default, replaces them in steps"],
    ["ingress.spec.rules", "The host name, without port and not an IP address"],
    ["storageclass", "annotation storageclass.kubernetes.io/is-default-class set to true"],
  ])("says in words what %s is, and leaves no field of it without any", async (path, words) => {
    const text = (await run("explain", path)).replace(/\s+/g, " ");
    expect(text).toContain(words);
    expect(text).not.toMatch(/<empty>|<no description>/);
  });

  test("refuses a field that the kind does not have, and names it", async () => {
    const spec = { containers: [{ name: "web", image: "web", imagePolicy: "Never" }] };
    const path = written("unknown-field.json", { ...POD, spec });
    await expect(run("apply", "--validate=true", "-f", path)).rejects.toThrow(/unknown field "(.*\.)?imagePolicy"/);
  });

  test("takes what is right, numbers for quantities too, and patches it", async () => {
    const limits = { cpu: 1, memory: "1Gi" };
    const livenessProbe = { httpGet: { port: 80 } };
    const container = { name: "web", image: "web", resources: { limits }, livenessProbe };
    const path = written("web.json", { ...POD, spec: { containers: [container] } });
    expect(await run("apply", "--validate=true", "-f", path)).toMatch(/pod\/web (created|unchanged|configured)/);
    expect(await run("apply", "--dry-run=server", "-f", path)).toMatch(/\(server dry run\)/);
    expect(await run("delete", "-f", path, "--wait=false")).toMatch(/deleted/);
  });

  test("lists the kinds and the versions that are served", async () => {
    const kinds = await run("api-resources", "-o", "wide");
    expect(kinds).toMatch(/\ndeployments\s+deploy\s+apps\/v1\s+true\s+Deployment\s/);
    expect((await run("api-versions")).split("\n")).toEqual(expect.arrayContaining(["v1", "apps/v1", "batch/v1"]));
  });

  test("reads the whole document", async () => {
    expect(JSON.parse(await run("get", "--raw", "/openapi/v2"))).toMatchObject({ swagger: "2.0" });
  });
});
