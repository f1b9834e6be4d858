import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { builtInTypes, type ResourceType } from "@orch/client";
import type { AdmissionRequest } from "../webhooks/local-webhook";
import { startServer } from "./start-server";
import type { TestServer } from "./test-server";

const { configMaps, namespaces, serviceAccounts } = builtInTypes("kubernetes");
const CRONTABS: ResourceType = {
  group: "stable.example.com",
  version: "v1",
  resource: "crontabs",
  kind: "CronTab",
  namespaced: true,
};
const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crontabs.stable.example.com }
spec:
  group: stable.example.com
  scope: Namespaced
  names: { plural: crontabs, kind: CronTab }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: string } } } }
---
apiVersion: v1
kind: Namespace
metadata: { name: from-file }
`;

describe("a server with everything", () => {
  let folder: string;
  let server: TestServer;
  const reviewed: AdmissionRequest[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "manifests-"));
    writeFileSync(join(folder, "crontab.yaml"), DEFINITION);
    writeFileSync(join(folder, "notes.txt"), "not a manifest");
    server = await startServer({
      crds: [folder],
      manifests: [
        { apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "nightly" }, spec: "0 2 * * *" },
      ],
      users: [{ name: "jane", groups: ["developers"] }],
      webhooks: [
        {
          name: "names.example.com",
          kind: "validating",
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          handler: (request) => {
            reviewed.push(request);
            return { allowed: request.name !== "bad", message: "no bad names" };
          },
        },
        {
          name: "labels.example.com",
          kind: "mutating",
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          handler: () => ({ allowed: true, patch: [{ op: "add", path: "/data", value: { added: "by webhook" } }] }),
        },
      ],
    });
  });
  beforeEach(() => server.reset());
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const maps = () => server.client.resource(configMaps).namespace("default");
  const namespaceNames = async () =>
    (await server.client.resource(namespaces).list()).items.map(({ metadata }) => metadata?.name);

  test("definitions of a folder are established, other objects in it are left out, and manifests exist", async () => {
    const found = await server.client.resource(CRONTABS).namespace("default").get("nightly");
    expect(found["spec"]).toBe("0 2 * * *");
    expect(await namespaceNames()).not.toContain("from-file");
  });

  test("controllers empty and remove a deleted namespace", async () => {
    await server.applyManifests({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await server.client
      .resource(configMaps)
      .namespace("shop")
      .create({ metadata: { name: "menu" } });
    await server.client.resource(namespaces).delete("shop");
    await server.waitFor(async () => !(await namespaceNames()).includes("shop"), { timeoutMs: 50_000 });
  });

  test("the garbage collector removes owned objects", async () => {
    const owner = await maps().create({ metadata: { name: "owner" } });
    const { uid = "" } = owner.metadata ?? {};
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    await maps().create({ metadata: { name: "owned", ownerReferences } });
    await maps().delete("owner");
    await server.waitFor(async () => (await maps().find("owned")) === undefined, { timeoutMs: 50_000 });
  });

  test("a webhook of the test denies, and another one changes what is created", async () => {
    reviewed.length = 0;
    await expect(maps().create({ metadata: { name: "bad" } })).rejects.toMatchObject({
      code: 403,
      message: 'admission webhook "names.example.com" denied the request: no bad names',
    });
    expect((await maps().create({ metadata: { name: "good" } })).data).toEqual({ added: "by webhook" });
    expect(reviewed.map(({ name, operation }) => `${operation} ${name}`)).toEqual(["CREATE bad", "CREATE good"]);
  });

  test("a reset brings back changed and deleted objects, and removes new ones and their definitions", async () => {
    const tabs = server.client.resource(CRONTABS).namespace("default");
    await tabs.patch("nightly", "merge", { spec: "changed" });
    await server.client.resource(serviceAccounts).namespace("default").delete("default");
    const other = { ...CRONTABS, group: "other.example.com" };
    await server.applyManifests(DEFINITION.replaceAll("stable.example.com", "other.example.com"));
    await server.client
      .resource(other)
      .namespace("default")
      .create({ metadata: { name: "one" } });
    await server.reset();
    expect((await tabs.get("nightly"))["spec"]).toBe("0 2 * * *");
    expect(await server.client.resource(serviceAccounts).namespace("default").find("default")).toBeDefined();
    await server.waitFor(() =>
      server.client
        .resource(other)
        .list()
        .then(
          () => false,
          ({ code }) => code === 404,
        ),
    );
  });

  test("watches go on over a reset, and tell what it undid", async () => {
    const seen: string[] = [];
    const end = new AbortController();
    const watch = maps().watch({ resourceVersion: (await maps().list()).resourceVersion, signal: end.signal });
    const done = (async () => {
      for await (const event of watch) {
        seen.push(`${event.type} ${event.type === "BOOKMARK" ? "" : event.object.metadata?.name}`);
        if (seen.length === 2) return;
      }
    })();
    await maps().create({ metadata: { name: "short" } });
    await server.reset();
    await done;
    expect(seen).toEqual(["ADDED short", "DELETED short"]);
  });

  test("a snapshot is restored as often as wanted", async () => {
    await maps().create({ metadata: { name: "kept" } });
    const snapshot = await server.snapshot();
    for (let round = 0; round < 3; round += 1) {
      await maps().delete("kept");
      await maps().create({ metadata: { name: `more-${round}` } });
      await server.restore(snapshot);
      const names = (await maps().list()).items.map(({ metadata }) => metadata?.name);
      expect(names.sort()).toEqual(["kept", "kube-root-ca.crt"]);
    }
  });

  test("a reset without a change since the last one changes nothing", async () => {
    await maps().create({ metadata: { name: "short" } });
    for (let round = 0; round < 3; round += 1) await server.reset();
    expect(await maps().find("short")).toBeUndefined();
  });

  test("a snapshot of another server is refused", async () => {
    await expect(server.restore({ objects: 1 })).rejects.toThrow(
      new TypeError("snapshot: must be a result of snapshot() of the same server"),
    );
  });

  test("users have clients with their own permissions, and requests tell who was refused by what", async () => {
    const { jane } = server.users;
    await expect(jane?.client.resource(configMaps).namespace("default").get("menu")).rejects.toMatchObject({
      code: 403,
    });
    await maps()
      .create({ metadata: { name: "Not A Name" } })
      .catch(() => {});
    await maps()
      .create({ metadata: { name: "bad" } })
      .catch(() => {});
    await maps()
      .get("absent")
      .catch(() => {});
    await maps().list();
    const told = server.requests.map(({ user, verb, status, refusedBy }) => [user, verb, status, refusedBy]);
    expect(told).toEqual([
      ["jane", "get", 403, "authorization"],
      ["admin", "create", 422, "validation"],
      ["admin", "create", 403, "admission"],
      ["admin", "get", 404, "request"],
      ["admin", "list", 200, undefined],
    ]);
    const text = server.explain(2);
    expect(text).toContain("the last 2 of 5 requests; 3 earlier ones are left out:");
    expect(text).toContain('refused by request: configmaps "absent" not found');
  });

  test("the kubeconfig file is private, and gone after the stop", async () => {
    const other = await startServer({ controllers: false });
    const path = other.kubeconfigPath;
    expect(readFileSync(path, "utf8")).toBe(other.kubeconfig);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await other.stop();
    expect(() => statSync(path)).toThrow("ENOENT");
  });
});

test.each<[object, string]>([
  [{ releese: "1.30" }, 'unknown option "releese": the options are vocabulary, release, crds'],
  [{ vocabulary: "k8s" }, 'vocabulary: "k8s": must be one of orch, kubernetes'],
  [{ release: "36" }, 'release: "36": must be a release of Kubernetes, such as "1.36"'],
  [{ release: "1.99" }, 'release: "1.99" is not a release from 1.15 to'],
  [
    { controllers: ["namespaces"] },
    'controllers: ["namespaces"]: must be true, false, or a list of names among namespace',
  ],
  [{ port: -1 }, "port: -1: must be an integer from 0 (any free port) to 65535"],
  [{ flags: { "secure-port": 1 } }, 'flags: {"secure-port":1}: the flag secure-port is set by the option port'],
  [{ flags: { "no-such-flag": 1 } }, "no-such-flag"],
  [{ flags: { record: "/does/not/exist" } }, "--record: ENOENT"],
  [{ flags: { "watch-cache": false } }, "the flag watch-cache has no effect: the server always serves"],
  [{ flags: { "data-dir": "data" } }, "the flag data-dir has no effect: a test server stores nothing in files"],
  [{ users: [{ name: "" }] }, "users:"],
  [{ users: [{ name: "jane" }, { name: "jane" }] }, 'names the user "jane" twice'],
  [{ crds: [__dirname] }, "contains no object of the expected kind"],
  [
    { crds: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "menu" } }] },
    "crds[0]: is of kind ConfigMap: must be a CustomResourceDefinition",
  ],
  [{ crds: "config/crd" }, 'crds: "config/crd": must be a list of manifests: objects, YAML texts or paths'],
  [{ crds: ["/does/not/exist.yaml"] }, 'crds[0]: "/does/not/exist.yaml" cannot be read: ENOENT'],
  [{ manifests: ["kind: [\n"] }, "manifests[0]: not valid YAML"],
  [{ manifests: [{ kind: "ConfigMap" }] }, "manifests[0]: apiVersion and kind: must be strings"],
  [
    { manifests: [{ apiVersion: "v1", kind: "ConfigMap" }] },
    "manifests[0]: metadata.name of ConfigMap: must be a string",
  ],
  [{ webhooks: [{ name: "short" }] }, "[0].name: must be a name such as"],
  [{ webhooks: [{ name: "a.b.c", kind: "both" }] }, "[0].kind: must be one of validating, mutating"],
])("the option %j is refused with a TypeError", async (options, message) => {
  const failure = await startServer(options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as TypeError).message).toContain(message);
});

test("a definition whose names are taken is refused with the reason", async () => {
  const definition = (plural: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: "Snack" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const crds = [definition("snacks"), definition("others")];
  await expect(startServer({ crds, controllers: false })).rejects.toThrow(
    /^the definition others\.example\.com cannot be established: "SnackList" is already in use/,
  );
});

test("a folder of definitions may contain files of kustomize", async () => {
  const folder = mkdtempSync(join(tmpdir(), "definitions-"));
  const names = "{ plural: snacks, kind: Snack }";
  const versions = "[{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]";
  const head =
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: snacks.example.com }\n";
  mkdirSync(join(folder, "bases"));
  writeFileSync(
    join(folder, "bases/snacks.yaml"),
    `${head}spec: { group: example.com, scope: Namespaced, names: ${names}, versions: ${versions} }\n`,
  );
  writeFileSync(join(folder, "patch.yaml"), `${head}spec: { conversion: { strategy: None } }\n`);
  writeFileSync(join(folder, "kustomization.yaml"), "resources:\n- bases/snacks.yaml\n");
  writeFileSync(join(folder, "kustomizeconfig.yaml"), "nameReference:\n- kind: Service\n  version: v1\n");
  const other = await startServer({ crds: [folder], controllers: false });
  expect(await other.client.getJson("/apis/example.com/v1/snacks")).toMatchObject({ items: [] });
  await other.stop();
  rmSync(folder, { recursive: true });
});

test("a port in use is told by the name of the option", async () => {
  const first = await startServer({ controllers: false });
  await expect(startServer({ port: first.port, controllers: false })).rejects.toThrow(/^port: \d+ of .* is in use/);
  await first.stop();
});

test("an object that the server refuses ends the start, and leaves nothing open", async () => {
  const manifests = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "Not A Name" } }];
  await expect(startServer({ manifests, controllers: false })).rejects.toMatchObject({ code: 422 });
});
