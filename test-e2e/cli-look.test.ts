// The commands of `orch` that show objects, in both vocabularies, in pipes and on a terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "@orch/client";
import { type ApiServer, startApiServer } from "./harness/api-server";
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
