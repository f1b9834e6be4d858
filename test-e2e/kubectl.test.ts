// kubectl (Debian's 1.20) against a server that speaks the Kubernetes vocabulary.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { eventually } from "./harness/eventually";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const MANIFESTS = join(__dirname, "manifests");
/** Groups of reviews, which cannot be listed. */
const GROUPS_OF_REVIEWS = ["authentication.k8s.io", "authorization.k8s.io"];

/**
 * Kinds whose selector and template labels the server generates: they are immutable, so a replacement must contain what
 * was read.
 */
const SELECTED_BY_SERVER: readonly string[] = ["Job"];

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
}

const manifests = readdirSync(MANIFESTS)
  .sort()
  .map((file) => {
    const path = join(MANIFESTS, file);
    return { path, object: parse(readFileSync(path, "utf8")) as Manifest };
  });
const inNamespaces = manifests.filter(({ object }) => object.kind !== "Namespace");

const workplace = useWorkplace();
let client: Kubectl;

const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace));
  await kubectl("create", "-f", join(MANIFESTS, "00-namespace.yaml"));
}, 60_000);

describe("every manifest", () => {
  test.each(inNamespaces.map(({ path, object }) => [`${object.apiVersion} ${object.kind}`, path, object] as const))(
    "%s is created, read, replaced and deleted",
    async (_title, path, object) => {
      const { name } = object.metadata;
      expect(await kubectl("create", "-f", path)).toMatch(new RegExp(`/${name} created\\n$`));

      const read = parse(await kubectl("get", "-f", path, "-o", "yaml")) as Manifest;
      expect(read).toMatchObject(withoutWriteOnly(object));
      expect(await kubectl("get", "-f", path, "-o", "wide")).toContain(name);

      const changed = join(client.folder, `${name}-${object.kind}.json`);
      const annotations = { ...object.metadata.annotations, "example.com/checked": "yes" };
      const base = SELECTED_BY_SERVER.includes(object.kind) ? read : object;
      writeFileSync(changed, JSON.stringify({ ...base, metadata: { ...base.metadata, annotations } }));
      expect(await kubectl("replace", "-f", changed)).toMatch(/ replaced\n$/);
      const again = JSON.parse(await kubectl("get", "-f", path, "-o", "json")) as Manifest;
      expect(again.metadata.annotations).toMatchObject({ "example.com/checked": "yes" });

      // kubectl waits until a watch reports the deletion.
      expect(await kubectl("delete", "-f", path, "--timeout=30s")).toMatch(/ deleted\n$/);
      await expect(kubectl("get", "-f", path)).rejects.toThrow(/NotFound/);
    },
    60_000,
  );
});

/** Removes write-only fields, which the server stores under another name. */
function withoutWriteOnly(object: Manifest): object {
  const { stringData: _, ...kept } = object as Manifest & { stringData?: unknown };
  return kept;
}

test("there is a manifest of every group that is served", async () => {
  const lines = (await kubectl("api-versions")).trim().split("\n");
  const groupOf = (apiVersion: string) => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");
  const served = new Set(lines.map(groupOf).filter((group) => !GROUPS_OF_REVIEWS.includes(group)));
  const written = new Set(manifests.map(({ object }) => groupOf(object.apiVersion)));
  expect([...served].filter((group) => !written.has(group))).toEqual([]);
}, 30_000);

test("api-resources names every kind, and each that says so can be listed", async () => {
  const table = await kubectl("api-resources");
  for (const kind of ["Namespace", "ConfigMap", "Deployment", "CronJob", "Ingress", "Role"]) {
    expect(table).toMatch(new RegExp(`\\b${kind}$`, "m"));
  }
  const resources = (await kubectl("api-resources", "--verbs=list", "-o", "name")).trim().split("\n");
  expect(resources.length).toBeGreaterThan(40);
  const everything = await kubectl("get", resources.join(","), "--all-namespaces", "-o", "name");
  expect(everything).toContain("namespace/kube-system");
}, 60_000);

test("get -w shows each change as it happens", async () => {
  const watching = client.start(["get", "configmaps", "-n", "shop", "-w", "-o", "name"]);
  let shown = "";
  watching.stdout.on("data", (text) => (shown += text));
  try {
    await kubectl("create", "configmap", "watched", "-n", "shop", "--from-literal=step=1");
    await eventually("the new object is shown", async () => shown.includes("configmap/watched\n"));
    await kubectl("delete", "configmap", "watched", "-n", "shop");
    await eventually("its end is shown", async () => shown.split("configmap/watched\n").length > 2);
  } finally {
    watching.kill();
  }
}, 60_000);

test("get --raw reads any path", async () => {
  expect(await kubectl("get", "--raw", "/readyz")).toBe("ok");
  const list = JSON.parse(await kubectl("get", "--raw", "/api/v1/namespaces")) as { kind: string; items: Manifest[] };
  expect(list.kind).toBe("NamespaceList");
  expect(list.items.map((item) => item.metadata.name)).toEqual(
    expect.arrayContaining(["default", "kube-node-lease", "kube-public", "kube-system", "shop"]),
  );
  expect(await kubectl("version")).toMatch(/Server Version/);
}, 30_000);

test("selectors and chunks are the server's", async () => {
  for (const tier of ["a", "b", "a"].entries()) {
    const path = join(client.folder, `tier-${tier[0]}.json`);
    const metadata = { name: `tier-${tier[0]}`, namespace: "shop", labels: { tier: tier[1] } };
    writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata }));
    await kubectl("create", "-f", path);
  }
  const chosen = await kubectl("get", "configmaps", "-n", "shop", "-l", "tier in (a)", "--chunk-size=1", "-o", "name");
  expect(chosen).toBe("configmap/tier-0\nconfigmap/tier-2\n");
  const one = await kubectl("get", "configmaps", "-n", "shop", "--field-selector=metadata.name=tier-1", "-o", "name");
  expect(one).toBe("configmap/tier-1\n");
}, 30_000);

test("auth can-i asks the server what its user may do", async () => {
  expect(await kubectl("auth", "can-i", "create", "pods")).toBe("yes\n");
  expect(await kubectl("auth", "can-i", "--list")).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);

  const asViewer = "--token=viewer-token";
  expect(await client.run([asViewer, "auth", "can-i", "create", "pods"])).toMatchObject({ code: 1, stdout: "no\n" });
  const list = await kubectl(asViewer, "auth", "can-i", "--list");
  expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]$/m);
  expect(list).not.toContain("*.*");
}, 30_000);
