// The commands of `orch` that show objects, in both vocabularies, in pipes and on a terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client, type ResourceType } from "@orch/client";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;

interface Place {
  readonly server: ApiServer;
  readonly orch: Orch;
  readonly client: Client;
}

const places = new Map<string, Place>();
const at = (vocabulary: string): Place => places.get(vocabulary) as Place;

async function placeOf(vocabulary: (typeof VOCABULARIES)[number]): Promise<Place> {
  const flags = [`--vocabulary=${vocabulary}`];
  const server = await startApiServer(workplace, { name: vocabulary, store: { kind: "memory" }, flags });
  const connection = {
    server: server.url,
    tls: { ca: { kind: "file", path: server.authority.caFile } },
    credentials: { token: "admin-token" },
    namespace: "default",
  } as const;
  const client = new Client({ connection, vocabulary, program: "test", rateLimit: { perSecond: 0, burst: 0 } });
  return { server, client, orch: new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) }) };
}

const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const SECRETS = { group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true };
const NAMESPACES = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", namespaced: false };

const EVENTS = { group: "", version: "v1", resource: "events", kind: "Event", namespaced: true };
const BACKUPS = { group: "example.com", version: "v1", resource: "backups", kind: "Backup", namespaced: true };
const DEFINITIONS = (group: string) => ({
  group,
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});
const SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      description: "Wishes.",
      required: ["schedule"],
      properties: {
        schedule: { type: "string" },
        kept: { type: "array", items: { type: "object", properties: { days: { type: "integer" } } } },
      },
    },
  },
};

function refOf({ metadata }: JsonObject) {
  const { name, uid } = metadata as { readonly name: string; readonly uid: string };
  return { name, uid };
}

beforeAll(async () => {
  await Promise.all(
    VOCABULARIES.map(async (vocabulary) => {
      const place = await placeOf(vocabulary);
      places.set(vocabulary, place);
      const { client } = place;
      await client.resource(NAMESPACES).create({ metadata: { name: "shop" } });
      const maps = client.resource(CONFIG_MAPS).namespace("shop");
      await maps.create({ metadata: { name: "one", labels: { app: "x", tier: "front" } }, data: { size: "20" } });
      await maps.create({ metadata: { name: "two", labels: { app: "y" } }, data: { size: "3" } });
      await maps.create({ metadata: { name: "three" }, data: { text: "a\u001b[31m<b>" } });
      await client
        .resource(SECRETS)
        .namespace("shop")
        .create({ metadata: { name: "key" }, stringData: { pin: "1234" } });
    }),
  );
}, 60_000);

describe.each(VOCABULARIES)("a server of the vocabulary %s", (vocabulary) => {
  const shown = (...words: string[]) => at(vocabulary).orch.print(["-n", "shop", ...words]);

  test.each<[string, string]>([
    ["get cm -o name", "configmap/one\nconfigmap/three\nconfigmap/two\n"],
    ["get cm,secret -o name", "configmap/one\nconfigmap/three\nconfigmap/two\nsecret/key\n"],
    ["get cm/one secret/key -o name", "configmap/one\nsecret/key\n"],
    ["get cm -l app=x -o name", "configmap/one\n"],
    ["get cm --field-selector=metadata.name=two -o=name", "configmap/two\n"],
    ["get cm --chunk-size=1 -o name", "configmap/one\nconfigmap/three\nconfigmap/two\n"],
    ["get cm --sort-by=.data.size -o name", "configmap/three\nconfigmap/two\nconfigmap/one\n"],
    ["get cm one -o jsonpath={.data.size}", "20"],
    ['get cm -o jsonpath={.items[?(@.data.size>"2")].metadata.name}', "one two"],
    ["get cm -o jsonpath-as-json={.items[*].data.size}", '[\n    "20",\n    "3"\n]\n'],
    [
      "get cm -o custom-columns=NAME:.metadata.name,SIZE:data.size",
      "NAME    SIZE\none     20\nthree   <none>\ntwo     3\n",
    ],
    [
      "get cm -l app=none -o json",
      '{\n    "apiVersion": "v1",\n    "items": [],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n',
    ],
    ["get cm gone --ignore-not-found", ""],
    ["get --raw /readyz", "ok"],
  ])("%s", async (words, text) => {
    expect(await shown(...words.split(" "))).toBe(text);
  });

  test("tables are those of the server, several kinds one after the other", async () => {
    const rows = (await shown("get", "cm,secret", "-L", "app", "--show-labels")).replaceAll(/ \d+s /g, " 1s ");
    expect(rows.split("\n").map((line) => line.split(/ +/))).toEqual([
      ["NAME", "DATA", "AGE", "APP", "LABELS"],
      ["configmap/one", "1", "1s", "x", "app=x,tier=front"],
      ["configmap/three", "1", "1s", "<none>"],
      ["configmap/two", "1", "1s", "y", "app=y"],
      [""],
      ["NAME", "TYPE", "DATA", "AGE", "APP", "LABELS"],
      ["secret/key", "Opaque", "1", "1s", "<none>"],
      [""],
    ]);
    expect(await shown("get", "cm", "-A", "--no-headers")).toMatch(/^shop +one +1 /m);
    expect(await shown("get", "ns", "shop", "-o", "wide")).toMatch(/^NAME +STATUS +AGE\nshop +Active /);
  });

  test("objects are JSON and YAML that can be read again", async () => {
    const json = await shown("get", "cm", "three", "-o", "json");
    expect(json).toContain('"text": "a\\u001b[31m\\u003cb\\u003e"');
    expect(json).not.toContain("managedFields");
    const list = JSON.parse(await shown("get", "cm", "-o", "json", "--chunk-size=2"));
    expect(list).toMatchObject({ kind: "List", apiVersion: "v1", items: [{ kind: "ConfigMap" }, {}, {}] });
    expect(await shown("get", "cm", "one", "-o", "yaml", "--show-managed-fields=true")).toContain("managedFields:\n");
    const path = join(workplace.folder(), "one.yaml");
    writeFileSync(path, await shown("get", "cm,secret", "-o", "yaml"));
    expect(await shown("get", "-f", path, "-o", "name")).toBe(
      "configmap/one\nconfigmap/three\nconfigmap/two\nsecret/key\n",
    );
  });
});

const typeOf = (group: string, resource: string, kind: string): ResourceType => ({
  ...{ group, version: "v1", resource, kind },
  namespaced: kind !== "Node",
});
const NODES = typeOf("", "nodes", "Node");
const PODS = typeOf("", "pods", "Pod");
const DEPLOYMENTS = typeOf("apps", "deployments", "Deployment");
const SIZES = { cpu: "4", memory: "8Gi", pods: "110" };
const NODE = { metadata: { name: "n1" }, status: { capacity: SIZES, allocatable: SIZES } };
const CONTAINER = {
  ...{ name: "web", image: "shop:1", ports: [{ containerPort: 8080, name: "http" }] },
  env: [
    { name: "LEVEL", value: "info" },
    { name: "PIN", valueFrom: { secretKeyRef: { name: "pins", key: "pin" } } },
  ],
  resources: { requests: { cpu: "100m", memory: "64Mi" } },
  livenessProbe: { httpGet: { path: "/ok", port: "http" } },
};
const TEMPLATE = { metadata: { labels: { app: "shop" } }, spec: { containers: [CONTAINER] } };
const DEPLOYMENT = {
  metadata: { name: "shop" },
  spec: { replicas: 2, selector: { matchLabels: { app: "shop" } }, template: TEMPLATE },
};
const SERVICE = {
  metadata: { name: "shop" },
  spec: { selector: { app: "shop" }, ports: [{ name: "web", port: 80, targetPort: "http" }] },
};
const POD_ON_NODE = {
  metadata: { name: "web-0" },
  spec: {
    ...{ nodeName: "n1", containers: [CONTAINER] },
    tolerations: [{ key: "a", operator: "Equal", value: "b", effect: "NoSchedule" }],
  },
};
const POD_STATUS = {
  ...{ phase: "Running", qosClass: "Burstable" },
  conditions: [{ type: "Ready", status: "False", reason: "Waits" }],
  containerStatuses: [
    {
      ...{ name: "web", image: "shop:1", imageID: "", ready: false, restartCount: 4 },
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } },
      lastState: { terminated: { exitCode: 7, reason: "Error" } },
    },
  ],
};
const INGRESS = {
  metadata: { name: "shop" },
  spec: {
    rules: [
      {
        host: "shop.example",
        http: {
          paths: [{ path: "/cart", pathType: "Prefix", backend: { service: { name: "shop", port: { name: "web" } } } }],
        },
      },
    ],
  },
};
const ROLE = {
  metadata: { name: "reader" },
  rules: [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"] },
  ],
};

describe.each(VOCABULARIES)("an object of a server of the vocabulary %s", (vocabulary) => {
  const names = vocabularyOf(vocabulary);
  const shown = (...words: string[]) => at(vocabulary).orch.print(["-n", "web", ...words]);
  const ran = (...words: string[]) => at(vocabulary).orch.run(["-n", "web", ...words]);

  beforeAll(async () => {
    const { client } = at(vocabulary);
    const of = (type: ResourceType) => client.resource(type).namespace("web");
    await client.resource(NAMESPACES).create({ metadata: { name: "web" } });
    await client.resource(DEFINITIONS(names.groups.apiextensions)).create({
      metadata: { name: "backups.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "backups", singular: "backup", kind: "Backup", listKind: "BackupList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: SCHEMA },
            additionalPrinterColumns: [{ name: "Schedule", type: "string", jsonPath: ".spec.schedule" }],
          },
        ],
      },
    });
    const maps = of(CONFIG_MAPS);
    const top = await maps.create({ metadata: { name: "top" }, data: { w: "0" } }, { fieldManager: "setup" });
    const ownedBy = (owner: JsonObject, name: string, more: object = {}) => ({
      metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", ...refOf(owner), ...more }] },
    });
    const middle = await maps.create(ownedBy(top, "middle", { controller: true }));
    await of(SECRETS).create({ ...ownedBy(middle, "leaf"), data: { pin: "MTIzNA==" } });
    await maps.create({ metadata: { name: "stuck", finalizers: ["example.com/hold"] }, data: { a: "b" } });
    await maps.delete("stuck");
    const event = (name: string, type: string, message: string, lastTimestamp: string) =>
      of(EVENTS).create({
        metadata: { name },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "web", ...refOf(top) },
        type,
        reason: "Checked",
        message,
        count: 3,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp,
      });
    await event("later", "Warning", "second", "2026-01-01T02:00:00Z");
    await event("sooner", "Normal", "first\u001b[31m", "2026-01-01T01:00:00Z");
    await eventually("the new kind", async () =>
      of(BACKUPS)
        .create({
          apiVersion: "example.com/v1",
          kind: "Backup",
          metadata: { name: "nightly" },
          spec: { schedule: "@daily" },
        })
        .then(
          () => true,
          () => false,
        ),
    );
  }, 60_000);

  test("describe shows owners, managers, sizes of secrets, events, and why a deletion waits", async () => {
    const top = await shown("describe", "configmap", "top");
    expect(top).toMatch(/^Name: +top\nNamespace: +web\nKind: +ConfigMap \(v1\)\nCreated: /);
    expect(top).toMatch(/^Owns: +1 configmaps$/m);
    expect(top).toMatch(/^Managed By: +setup \(Update, \d+ fields?, \S+ ago\)$/m);
    expect(top).toMatch(/^ {2}\S+ \(x3 over \S+\) +Normal +Checked +first\\x1b\[31m\n.* Warning +Checked +second$/m);
    const leaf = await shown("describe", "secret/leaf");
    expect(leaf).toMatch(/^Owned By: +ConfigMap\/middle \(v1\)$/m);
    expect(leaf).toMatch(/^ {2}pin: +4 bytes$/m);
    expect(leaf).not.toContain("MTIz");
    expect(await shown("describe", "cm", "stu")).toMatch(
      /^Deletion: +since \S+; waits because the owner of the finalizer example\.com\/hold has not removed it$/m,
    );
    expect(await shown("describe", "backups", "nightly")).toMatch(/^Schedule: +@daily\n/m);
  });

  test("describe has facts and tables of their own for built-in kinds", async () => {
    const { client } = at(vocabulary);
    const kinds: readonly [ResourceType, JsonObject][] = [
      [NODES, NODE],
      [DEPLOYMENTS, DEPLOYMENT],
      [typeOf("", "services", "Service"), SERVICE],
      [PODS, POD_ON_NODE],
      [typeOf(names.groups.networking, "ingresses", "Ingress"), INGRESS],
      [typeOf(names.groups.rbac, "roles", "Role"), ROLE],
    ];
    for (const [type, object] of kinds) {
      const all = client.resource(type);
      await (type === NODES ? all : all.namespace("web")).create(object);
    }
    const owner = await client.resource(DEPLOYMENTS).namespace("web").get("shop");
    for (const revision of [1, 2]) {
      const annotations = { [names.annotations.deploymentRevision]: String(revision) };
      await client
        .resource(typeOf("apps", "replicasets", "ReplicaSet"))
        .namespace("web")
        .create({
          metadata: {
            ...{ name: `shop-${revision}`, annotations },
            ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", ...refOf(owner) }],
          },
          spec: { replicas: revision, selector: { matchLabels: { app: "shop" } }, template: TEMPLATE },
        });
    }
    const annotations = { [names.annotations.deploymentRevision]: "2" };
    await client.resource(DEPLOYMENTS).namespace("web").patch("shop", "merge", { metadata: { annotations } });
    await client
      .resource(typeOf(names.groups.discovery, "endpointslices", "EndpointSlice"))
      .namespace("web")
      .create({
        metadata: { name: "shop-1", labels: { [names.labels.serviceName]: "shop" } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.1.0.7"] }, { addresses: ["10.1.0.8"], conditions: { ready: false } }],
        ports: [{ name: "web", port: 8080, protocol: "TCP" }],
      });
    await client
      .resource(PODS)
      .namespace("web")
      .patch("web-0", "merge", { status: POD_STATUS }, { subresource: "status" });
    const deployment = await shown("describe", "deployment", "shop");
    expect(deployment).toMatch(/^Replicas: +2 desired, 0 updated, 0 total, 0 available, 0 unavailable$/m);
    expect(deployment).toMatch(/^Selector: +app=shop$/m);
    expect(deployment).toMatch(
      /^New Replica Set:\n {2}Name .*\n {2}shop-2 +2 +0 .*\nOld Replica Sets:\n {2}Name .*\n {2}shop-1 +1 +0 /m,
    );
    expect(deployment).toMatch(
      /^Containers:\n {2}web:\n {4}Image: +shop:1\n {4}Ports: +8080\/TCP \(http\)\n {4}Requests: +cpu=100m, memory=64Mi\n {4}Liveness: +http-get :http\/ok /m,
    );
    expect(deployment).toMatch(/^ {4}Environment: +LEVEL=info, PIN from key pin of secret pins$/m);
    expect(await shown("describe", "node", "n1")).toMatch(
      /^ {2}cpu +4 +4 +100m \(2%\) +0\n {2}memory +8Gi +8Gi +64Mi \(0%\) +0\n(?:.*\n)*Pods:\n.*\n {2}web +web-0 +100m +64Mi +Running$/m,
    );
    const pod = await shown("describe", "pod", "web-0");
    expect(pod).toMatch(
      /^Node: +n1\nStatus: +Running\n(?:.*\n)*QoS Class: +Burstable\n(?:.*\n)*Tolerations: +a=b:NoSchedule/m,
    );
    expect(pod).toMatch(
      /^ {4}State: +Waiting: CrashLoopBackOff: back-off\n {4}Last State: +Terminated: Error, exit code 7$/m,
    );
    expect(pod).toMatch(/^ {2}Type +Status .*\n {2}Ready +False +Waits /m);
    expect(await shown("describe", "service", "shop")).toMatch(
      /^ {2}web +80\/TCP +http +- +10\.1\.0\.7:8080, 10\.1\.0\.8:8080 \(not ready\)$/m,
    );
    expect(await shown("describe", "ingress", "shop")).toMatch(/^ {2}shop\.example +\/cart +Prefix +shop:web$/m);
    expect(await shown("describe", "role", "reader")).toMatch(
      /^ {2}get, list +all +pods\n {2}get, list +all +deployments\.apps$/m,
    );
  });

  test("tree goes up to the owners and down to what is owned", async () => {
    const rows = (await shown("tree", "cm/middle", "--no-headers")).split("\n").map((line) => line.split(/ {3}/)[0]);
    expect(rows).toEqual(["configmap/top", "└─configmap/middle *", "  └─secret/leaf", ""]);
  });

  test("history lists managers with their fields", async () => {
    await at(vocabulary)
      .client.resource(CONFIG_MAPS)
      .namespace("web")
      .patch("top", "merge", { data: { x: "1" } }, { fieldManager: "later" });
    const history = await shown("history", "cm/top");
    expect(history).toMatch(/^configmap\/top: created \S+ ago\n\nMANAGER +OPERATION +LAST CHANGE +FIELDS\n/);
    expect(history).toMatch(/^later +Update +\S+ ago +data\.x$/m);
  });

  test("events are sorted by time, and chosen by object and type", async () => {
    expect((await shown("events", "--no-headers")).split("\n").map((line) => line.split(/ {3,}/).at(-1))).toEqual([
      "first\\x1b[31m",
      "second",
      "",
    ]);
    expect(await shown("events", "--for=cm/top", "--types=Warning", "-o", "name")).toBe("event/later\n");
    expect((await ran("events", "--for=cm/other")).stderr).toBe("No events found in web namespace.\n");
    expect((await ran("events", "--types=Odd")).stderr).toBe("error: valid --types are Normal or Warning\n");
  });

  test("explain shows built-in and custom fields", async () => {
    expect(await shown("explain", "cm.data")).toMatch(
      /^KIND: {7}ConfigMap\nVERSION: {4}v1\n\nFIELD: data <map\[string\]string>\n\n\nDESCRIPTION:\n/,
    );
    expect(await shown("explain", "backups.spec", "--recursive")).toBe(
      "GROUP:      example.com\nKIND:       Backup\nVERSION:    v1\n\nFIELD: spec <Object>\n\n\nDESCRIPTION:\n    Wishes.\n    \nFIELDS:\n  kept\t<[]Object>\n    days\t<integer>\n  schedule\t<string> -required-\n\n",
    );
    expect(await ran("explain", "backups.spec.schedul")).toMatchObject({
      code: 1,
      stderr: 'error: field "schedul" does not exist (did you mean "schedule"?)\n',
    });
  });

  test("diff tells differences by its exit code, and hides the values of secrets", async () => {
    const folder = workplace.folder();
    const file = (name: string, object: object) => {
      writeFileSync(join(folder, name), JSON.stringify(object));
      return join(folder, name);
    };
    const same = file("same.json", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "middle" } });
    const changed = file("changed.json", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "middle" },
      data: { k: "v" },
    });
    const secret = file("secret.json", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "leaf" },
      stringData: { pin: "9999" },
    });
    expect(await ran("diff", "-f", same)).toEqual({ stdout: "", stderr: "", code: 0 });
    const difference = await ran("diff", "-f", changed);
    expect(difference.stdout).toMatch(
      /^diff -u -N LIVE\/v1\.ConfigMap\.web\.middle MERGED\/.*\n--- .*\n\+\+\+ .*\n@@ /,
    );
    expect(difference.stdout).toMatch(/^\+data:\n\+ {2}k: v$/m);
    expect(difference.code).toBe(1);
    const hidden = await ran("diff", "-f", secret, "--force-conflicts");
    expect(hidden.stdout).toMatch(/^- {2}pin: "\*\*\* \(before\)"\n\+ {2}pin: "\*\*\* \(after\)"$/m);
    expect((await ran("diff", "-f", join(folder, "gone.json"))).code).toBe(2);
    const own = await at(vocabulary).orch.run(["-n", "web", "diff", "-f", changed], {
      env: { [names.environment.orchctlExternalDiff]: "diff -r" },
    });
    expect([own.stdout, own.code]).toEqual([
      expect.stringMatching(/^diff -r .*\/LIVE-\w+\/v1\.ConfigMap\.web\.middle /),
      1,
    ]);
  });

  test("versions and resources are listed", async () => {
    expect(await shown("api-versions")).toMatch(/^apps\/v1$/m);
    const kinds = (await shown("api-resources", "--sort-by=kind", "--no-headers")).trimEnd().split("\n");
    const last = kinds.map((line) => line.split(/ +/).at(-1) as string);
    expect(last).toEqual([...last].sort());
  });
});

describe("errors", () => {
  test.each<[string, string, RegExp]>([
    ["get", "", /^error: name a resource/],
    ["get pod", "", /^No resources found in shop namespace\.\n$/],
    ["get ns -l a=b", "", /^No resources found\n$/],
    ["get cm one gone -o name", "configmap/one\n", /^Error from server \(NotFound\): configmaps "gone" not found\n$/],
    ["get cm one -n nowhere", "", /^Error from server \(NotFound\): namespaces "nowhere" not found\n$/],
    ["get configmap/one pods", "", /^error: "pods": arguments in resource\/name form/],
    [
      "get confgmaps",
      "",
      /^error: the server doesn't have a resource type "confgmaps" \(did you mean "configmaps"\?\)\n$/,
    ],
    ["get cm one -l a=b", "", /^error: name cannot be provided when a selector is specified\n$/],
    ["get cm one -A", "", /^error: a resource cannot be retrieved by name across all namespaces\n$/],
    ["get cm -l app=(", "", /^Error from server \(BadRequest\): /],
    ["get cm -o go-template={{.}}", "", /^error: -o go-template is not supported: use jsonpath/],
    ["get cm -o jsonpath={.a", "", /^error: error parsing jsonpath \{\.a, unclosed action\n$/],
    ["get cm one -o jsonpath={.data[0]}", "", /^error: error executing jsonpath .*: a map is not array or slice\n$/],
    ["get --raw /nowhere", "", /^error: the server has no path "\/nowhere"\n$/],
    ["get cm --output-watch-events", "", /^error: --output-watch-events option can only be used with --watch/],
    ["get cm --chunk-size=many", "", /^error: --chunk-size must be a number/],
  ])("%s", async (words, text, message) => {
    const { stdout, stderr, code } = await at("kubernetes").orch.run(["-n", "shop", ...words.split(" ")]);
    expect(stderr).toMatch(message);
    expect([stdout, code]).toEqual([text, message.source.startsWith("^No resources") ? 0 : 1]);
  });
});
