// Changes of objects with kubectl (Debian's 1.20), against a server that speaks the Kubernetes vocabulary.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { eventually } from "./harness/eventually";
import { type Kubectl, type Printed, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

interface Deployment {
  readonly metadata: {
    readonly generation: number;
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly { readonly name: string; readonly image: string; readonly env?: object[] }[];
      };
    };
  };
}

const workplace = useWorkplace();
let client: Kubectl;
/** A program that edits the given file as a user would. */
let editor = "";
let count = 0;
/** Each test has its own namespace. */
let namespace: string;

const inNamespace = (args: readonly string[]): readonly string[] => [`--namespace=${namespace}`, ...args];
const run = (...args: readonly string[]): Promise<Printed> => client.run(inNamespace(args), { KUBE_EDITOR: editor });
const kubectl = (...args: readonly string[]): Promise<string> =>
  client.print(inNamespace(args), { KUBE_EDITOR: editor });

const WEB = parse(readFileSync(join(__dirname, "manifests", "deployment.yaml"), "utf8")) as {
  metadata: object;
  spec: { replicas: number; template: { spec: { containers: object[] } } };
};

/** Writes a changed Deployment manifest to a file. */
function manifest(change: (web: typeof WEB) => void = () => {}): string {
  const web = structuredClone(WEB);
  web.metadata = { name: "web", labels: { app: "web" } };
  change(web);
  const file = join(client.folder, `web-${count++}.json`);
  writeFileSync(file, JSON.stringify(web));
  return file;
}

const read = async (): Promise<Deployment> =>
  JSON.parse(await kubectl("get", "deployment", "web", "-o", "json")) as Deployment;

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace));
}, 60_000);

beforeEach(async () => {
  namespace = `changes-${count++}`;
  await kubectl("create", "namespace", namespace);
}, 60_000);

describe("apply", () => {
  test("creates, sees that nothing changed, and changes only what the manifest says", async () => {
    expect(await kubectl("apply", "-f", manifest())).toBe("deployment.apps/web created\n");
    const { metadata } = await read();
    expect(await kubectl("apply", "-f", manifest())).toBe("deployment.apps/web unchanged\n");
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);

    expect(await kubectl("scale", "deployment", "web", "--replicas=5")).toBe("deployment.apps/web scaled\n");
    expect((await read()).spec.replicas).toBe(5);
    const withoutReplicas = manifest((web) => {
      const { replicas: _, ...spec } = web.spec;
      Object.assign(web, { spec });
      web.spec.template.spec.containers.push({ name: "side", image: "busybox:1" });
    });
    expect(await kubectl("apply", "-f", withoutReplicas)).toBe("deployment.apps/web configured\n");
    const { spec } = await read();
    // Fields of the last manifest that this one lacks are removed.
    expect(spec.replicas).not.toBe(5);
    expect(spec.template.spec.containers.map(({ name }) => name)).toEqual(["web", "side"]);
    expect(await kubectl("apply", "-f", manifest())).toBe("deployment.apps/web configured\n");
    expect((await read()).spec.template.spec.containers.map(({ name }) => name)).toEqual(["web"]);
  }, 60_000);

  test("a server-side dry run changes nothing", async () => {
    expect(await kubectl("apply", "--dry-run=server", "-f", manifest())).toMatch(/created \(server dry run\)/);
    expect((await run("get", "deployment", "web")).stderr).toContain("NotFound");
    await kubectl("apply", "-f", manifest());
    const { metadata } = await read();
    const scaled = manifest((web) => Object.assign(web.spec, { replicas: 7 }));
    expect(await kubectl("apply", "--dry-run=server", "-f", scaled)).toMatch(/configured \(server dry run\)/);
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  }, 60_000);

  test("prunes what the manifests no longer hold", async () => {
    await kubectl("apply", "-f", manifest());
    const settings = join(client.folder, `settings-${count++}.json`);
    const metadata = { name: "settings", labels: { app: "web" } };
    writeFileSync(settings, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
    // One of the kinds that this client prunes by default no longer exists.
    const kinds = ["--prune-whitelist=core/v1/ConfigMap", "--prune-whitelist=apps/v1/Deployment"];
    const printed = await kubectl("apply", "--prune", "--selector=app=web", ...kinds, "-f", settings);
    expect(printed.split("\n")).toEqual(["configmap/settings created", "deployment.apps/web pruned", ""]);
    await eventually("the Deployment is gone", async () => (await run("get", "deployment", "web")).code === 1);
  }, 60_000);

  test("diff shows what it would change", async () => {
    await kubectl("apply", "-f", manifest());
    expect(await run("diff", "-f", manifest())).toMatchObject({ code: 0, stdout: "" });
    const scaled = manifest((web) => Object.assign(web.spec, { replicas: 7 }));
    const { code, stdout } = await run("diff", "-f", scaled);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^-\s+replicas: 3\n\+\s+replicas: 7$/m)]);
    const serverSide = await run("diff", "--server-side", "--force-conflicts", "-f", scaled);
    expect([serverSide.code, serverSide.stdout]).toEqual([1, expect.stringContaining("+  replicas: 7")]);
  }, 60_000);
});

describe("apply on the server's side", () => {
  test("creates, repeats, and is refused what others own until it forces", async () => {
    expect(await kubectl("apply", "--server-side", "-f", manifest())).toBe("deployment.apps/web serverside-applied\n");
    const { metadata } = await read();
    expect(metadata.managedFields.map(({ manager, operation }) => [manager, operation])).toEqual([
      ["kubectl", "Apply"],
    ]);
    await kubectl("apply", "--server-side", "-f", manifest());
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);

    const scaled = manifest((web) => Object.assign(web.spec, { replicas: 7 }));
    const refused = await run("apply", "--server-side", "--field-manager=other", "-f", scaled);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas'),
    ]);
    expect((await read()).spec.replicas).toBe(3);
    const rehearsal = ["apply", "--server-side", "--dry-run=server", "--field-manager=other"];
    expect((await run(...rehearsal, "-f", scaled)).stderr).toContain("Apply failed with 1 conflict");
    expect(await kubectl(...rehearsal, "--force-conflicts", "-f", scaled)).toContain("(server dry run)");
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=other", "-f", scaled);
    expect((await read()).spec.replicas).toBe(7);
  }, 60_000);

  test("takes over from apply on the client's side without conflicts", async () => {
    await kubectl("apply", "-f", manifest());
    const changed = manifest((web) => Object.assign(web.spec, { replicas: 4 }));
    expect(await kubectl("apply", "--server-side", "-f", changed)).toBe("deployment.apps/web serverside-applied\n");
    expect((await read()).spec.replicas).toBe(4);
    // Back to client-side apply: each mode maintains the last-applied annotation in its own way.
    await kubectl("apply", "-f", changed);
    expect(await kubectl("apply", "-f", changed)).toBe("deployment.apps/web unchanged\n");
  }, 60_000);
});

describe("patch", () => {
  test.each([
    ["json", '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:2"}]'],
    ["strategic", '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}'],
    ["merge", '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}'],
  ])(
    "patch of type %s",
    async (type, patch) => {
      await kubectl("create", "-f", manifest());
      expect(await kubectl("patch", "deployment", "web", `--type=${type}`, "-p", patch)).toBe(
        "deployment.apps/web patched\n",
      );
      const { metadata, spec } = await read();
      expect([metadata.generation, spec.template.spec.containers]).toMatchObject([
        2,
        [{ name: "web", image: "nginx:2" }],
      ]);
      // A merge patch replaces lists; the other types keep the container.
      expect(spec.template.spec.containers[0]?.env ?? []).toHaveLength(type === "merge" ? 0 : 1);
      expect(await kubectl("patch", "deployment", "web", `--type=${type}`, "-p", patch)).toBe(
        "deployment.apps/web patched (no change)\n",
      );
    },
    60_000,
  );
});

test("an edit becomes a patch of what was edited", async () => {
  await kubectl("apply", "-f", manifest());
  editor = join(client.folder, `editor-${count++}`);
  writeFileSync(editor, '#!/bin/sh\nsed -i "s/replicas: 3/replicas: 4/" "$1"\n');
  chmodSync(editor, 0o755);
  expect(await kubectl("edit", "deployment", "web")).toBe("deployment.apps/web edited\n");
  const { metadata, spec } = await read();
  expect([metadata.generation, spec.replicas]).toEqual([2, 4]);
  expect(metadata.managedFields.map(({ manager }) => manager)).toContain("kubectl-edit");
  expect((await run("edit", "deployment", "web")).stderr).toContain("no changes");
}, 60_000);

test("a replacement, of the object as it was read or of the whole thing", async () => {
  await kubectl("create", "-f", manifest());
  const read = join(client.folder, `read-${count++}.json`);
  writeFileSync(read, await kubectl("get", "deployment", "web", "-o", "json"));
  expect(await kubectl("scale", "deployment", "web", "--current-replicas=3", "--replicas=5")).toContain("scaled");
  expect((await run("scale", "deployment", "web", "--current-replicas=3", "--replicas=6")).stderr).toContain("was 5");
  expect((await run("replace", "-f", read)).stderr).toContain("the object has been modified");
  expect(await kubectl("replace", "-f", manifest())).toBe("deployment.apps/web replaced\n");
  const { uid } = JSON.parse(await kubectl("get", "deployment", "web", "-o", "json")).metadata;
  expect(await kubectl("replace", "--force", "-f", manifest())).toContain("replaced");
  expect(JSON.parse(await kubectl("get", "deployment", "web", "-o", "json")).metadata.uid).not.toBe(uid);
}, 60_000);

test("labels, annotations, images, environments and restarts", async () => {
  await kubectl("create", "-f", manifest());
  expect(await kubectl("label", "deployment", "web", "tier=front")).toBe("deployment.apps/web labeled\n");
  expect((await run("label", "deployment", "web", "tier=back")).stderr).toContain("--overwrite is false");
  expect(await kubectl("label", "deployment", "web", "app-")).toBe("deployment.apps/web labeled\n");
  expect(await kubectl("annotate", "deployment", "web", "a=1", "b=2")).toBe("deployment.apps/web annotated\n");
  expect(await kubectl("set", "image", "deployment/web", "web=nginx:3")).toBe("deployment.apps/web image updated\n");
  expect(await kubectl("set", "env", "deployment/web", "COLOR=red")).toBe("deployment.apps/web env updated\n");
  expect(await kubectl("set", "resources", "deployment/web", "--limits=cpu=1500m")).toContain("updated");
  expect(await kubectl("set", "serviceaccount", "deployment/web", "runner")).toContain("updated");
  expect(await kubectl("rollout", "restart", "deployment/web")).toBe("deployment.apps/web restarted\n");
  expect(await kubectl("rollout", "pause", "deployment/web")).toBe("deployment.apps/web paused\n");
  const { metadata, spec } = await read();
  expect(metadata).toMatchObject({ labels: { tier: "front" }, annotations: { a: "1", b: "2" } });
  expect(metadata.labels["app"]).toBeUndefined();
  expect(spec).toMatchObject({
    paused: true,
    template: {
      metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": expect.any(String) } },
      spec: {
        serviceAccountName: "runner",
        containers: [
          {
            image: "nginx:3",
            resources: { limits: { cpu: "1500m" } },
            env: expect.arrayContaining([{ name: "COLOR", value: "red" }]),
          },
        ],
      },
    },
  });
  expect(new Set(metadata.managedFields.map(({ manager }) => manager))).toContain("kubectl-set");
}, 60_000);
