// `orch history`, `orch rollback` and `orch undelete`: the recorded states of objects, and the way back to them, in both
// vocabularies.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, expectStatus } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;

interface Place {
  readonly server: ApiServer;
  readonly orch: Orch;
}

const places = new Map<string, Place>();
const at = (vocabulary: string): Place => places.get(vocabulary) as Place;

beforeAll(async () => {
  await Promise.all(
    VOCABULARIES.map(async (vocabulary) => {
      const flags = [`--vocabulary=${vocabulary}`, "--history=configmaps,secrets=10"];
      const server = await startApiServer(workplace, { name: vocabulary, store: { kind: "memory" }, flags });
      places.set(vocabulary, {
        server,
        orch: new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) }),
      });
    }),
  );
}, 60_000);

const HEADERS = ["RESOURCE VERSION", "TIME", "USER", "VERB", "MANAGER", "CHANGES"] as const;
const VERSION = expect.stringMatching(/^[1-9]\d*$/);
const AGO = expect.stringMatching(/^\d+\w* ago$/);

/** Returns the cells of the last table of a text. */
function tableOf(text: string): readonly (readonly string[])[] {
  const lines = (text.trimEnd().split("\n\n").at(-1) ?? "").split("\n");
  return lines.map((line) => line.split(/ {3,}/));
}

describe.each(VOCABULARIES)("vocabulary %s", (vocabulary) => {
  test("without the permission for the history, orch history shows what else it knows, and which one is missing", async () => {
    const { orch } = at(vocabulary);
    await orch.print(["create", "configmap", "limited", "--from-literal=a=1"]);
    await orch.print(["create", "role", "reader", "--verb=get", "--resource=configmaps"]);
    await orch.print(["create", "rolebinding", "reader", "--role=reader", "--user=ann"]);
    const seen = await eventually("the role is in force", async () => {
      const found = await orch.run(["history", "configmap/limited", "--as=ann"]);
      return found.stderr.includes('cannot get resource "configmaps"') ? false : found;
    });
    expect(seen).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^configmap\/limited: created .* ago\n\nMANAGER .*\n\S+-create +Update .* data\.a\n$/,
      ),
      stderr:
        'Warning: the recorded writes are not shown: this needs the verb "get" on "configmaps/history" in the namespace "default"\n',
    });
    const json = await orch.run(["history", "configmap/limited", "--as=ann", "-o", "json"]);
    expect(json).toMatchObject({ code: 0, stderr: seen.stderr });
    expect(JSON.parse(json.stdout)).toEqual({ managers: [expect.anything()], revisions: [] });
  });

  test("orch history shows what the annotation of a namespace has kept", async () => {
    const { orch, server } = at(vocabulary);
    const { annotations } = vocabularyOf(vocabulary);
    const metadata = { name: "noted", annotations: { [annotations.history]: "5" } };
    await expectStatus(201, server.admin.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata }));
    await orch.print(["create", "serviceaccount", "robot", "-n", "noted"]);
    await orch.print(["label", "serviceaccount", "robot", "color=red", "-n", "noted"]);
    expect(tableOf(await orch.print(["history", "serviceaccount/robot", "-n", "noted"]))).toEqual([
      [...HEADERS],
      [VERSION, AGO, "admin", "patch", expect.any(String), "+metadata.labels"],
      [VERSION, AGO, "admin", "create", expect.any(String), "created"],
    ]);
  });

  test("an object of a deleted namespace is not brought back, and its states are shown", async () => {
    const { orch, server } = at(vocabulary);
    const finalized = { spec: { finalizers: [] }, metadata: { name: "gone" }, apiVersion: "v1", kind: "Namespace" };
    await orch.print(["create", "namespace", "gone"]);
    await orch.print(["create", "configmap", "g", "-n", "gone", "--from-literal=a=b"]);
    await orch.print(["delete", "configmap", "g", "-n", "gone"]);
    await orch.print(["delete", "namespace", "gone", "--wait=false"]);
    await expectStatus(200, server.admin.put("/api/v1/namespaces/gone/finalize", finalized));
    const { stderr, code } = await orch.run(["undelete", "configmap/g", "-n", "gone"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /namespaces "gone" not found: .*; orch history configmap\/g -n gone lists the states, and --revision shows one\n$/,
      ),
    ]);
    expect(await orch.print(["history", "configmap/g", "-n", "gone"])).toMatch(/^configmap\/g: deleted/);
  });

  test("a state is brought back, and a deleted object", async () => {
    const { orch } = at(vocabulary);
    const print = (line: string) => orch.print(line.split(" "));
    await print("create configmap stock --from-literal=apple=1");
    await print('patch configmap stock --type=merge -p {"data":{"apple":"2"}}');
    const [, , [first = ""] = []] = tableOf(await print("history configmap/stock"));
    expect(await print(`rollback configmap/stock --to-revision=${first}`)).toBe("configmap/stock rolled back\n");
    await print("delete configmap stock");
    expect(await print("undelete configmap/stock -o jsonpath={.data.apple}")).toBe("1");
  });
});

test("states are listed, shown, compared, brought back and completed", async () => {
  const { orch, server } = at("orch");
  const { admin } = server;
  const path = "/api/v1/namespaces/default/configmaps/prices";
  const run = (line: string) => orch.run(line.split(" "));
  const print = (line: string) => orch.print(line.split(" "));
  const printed = (...lines: readonly string[]) => Promise.all(lines.map(print));
  const { home, options = [] } = orch.of;
  const completing = new Orch({ home, options: ["__complete", ...options] });
  const completed = (line: string) => completing.print(line.split(" "));
  const present = async () => (await expectStatus(200, admin.get(path))) as unknown as { data: Record<string, string> };

  const former = configMap("prices", { apple: "1", "a.b": "x" });
  await expectStatus(201, admin.post("/api/v1/namespaces/default/configmaps?fieldManager=shop", former));
  await expectStatus(200, admin.put(path, configMap("prices", { apple: "2", pear: "3" })));
  const [table = "", newest, json = ""] = await printed(
    "history configmap/prices",
    "history configmap prices --limit=1",
    "history configmap/prices -o json",
  );
  const rows = tableOf(table);
  expect(rows).toEqual([
    [...HEADERS],
    [VERSION, AGO, "admin", "update", expect.any(String), '-data["a.b"], ~data.apple, +data.pear'],
    [VERSION, AGO, "admin", "create", "shop", "created"],
  ]);
  const [, [second = ""] = [], [first = ""] = []] = rows;
  expect(newest).toContain("1 older write is not shown: use a larger --limit");
  expect(JSON.parse(json).history.items[1]).toMatchObject({ resourceVersion: first, change: "created" });

  expect(
    await printed(
      `history configmap/prices --revision=${first}`,
      `history configmap/prices --revision=${first} -o jsonpath={.data.apple}`,
      `rollback configmap/prices --to-revision=${first} --dry-run=client`,
      `rollback configmap/prices --to-revision=${first} --dry-run=server`,
    ),
  ).toEqual([
    expect.stringMatching(/^apiVersion: v1\ndata:\n {2}a\.b: x\n {2}apple: "1"\n/),
    "1",
    "configmap/prices rolled back (dry run)\n",
    "configmap/prices rolled back (server dry run)\n",
  ]);
  const [missing, compared, conflict] = await Promise.all([
    run("history configmap/prices --revision=9999999"),
    run(`rollback configmap/prices --to-revision=${first} --diff`),
    run(`rollback configmap/prices --to-revision=${first} --resource-version=${first}`),
  ]);
  expect(missing).toEqual({
    code: 1,
    stdout: "",
    stderr:
      'Error from server (NotFound): no state of configmaps "prices" at the resource version 9999999 is kept in the history: GET …/history lists the resource versions of those that are\n',
  });
  expect(compared).toMatchObject({ code: 1, stderr: "" });
  expect(compared.stdout.split("\n").filter((line) => /^[-+] /.test(line))).toEqual(
    expect.arrayContaining(['-  apple: "2"', '-  pear: "3"', "+  a.b: x", '+  apple: "1"']),
  );
  expect(conflict).toMatchObject({ code: 1, stderr: expect.stringContaining("Error from server (Conflict): ") });
  expect((await present()).data["apple"]).toBe("2");

  expect(await print(`rollback configmap/prices --to-revision=${first} -o jsonpath={.data.apple}`)).toBe("1");
  expect(await present()).toMatchObject({ data: { apple: "1", "a.b": "x" } });
  const [afterwards, same, candidates] = await Promise.all([
    print("history configmap/prices"),
    run(`rollback configmap/prices --to-revision=${first} --diff`),
    completed(`rollback configmap/prices --to-revision=${second}`),
  ]);
  expect(tableOf(afterwards)[1]?.slice(2, 5)).toEqual(["admin", "update", expect.stringMatching(/-rollback$/)]);
  expect(same).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(candidates).toMatch(new RegExp(`^--to-revision=${second}\\tupdated by admin at .*\\n:4\\n$`));

  await expectStatus(200, admin.delete(path));
  const [gone, all = "", one = "", names, ...dry] = await Promise.all([
    print("history configmap/prices"),
    print("history configmaps --deleted -A"),
    print("history configmap/prices --deleted"),
    completed("undelete configmap/pr"),
    ...["client", "server"].map((where) => print(`undelete configmap prices --dry-run=${where}`)),
  ]);
  expect(gone).toMatch(
    /^configmap\/prices: deleted; orch undelete configmap\/prices creates it again\n\nRESOURCE VERSION .*\n\d+ .* delete .* deleted\n/,
  );
  expect(tableOf(all)).toContainEqual(["default", "configmap/prices", AGO, "admin", VERSION]);
  expect(tableOf(one)).toEqual([
    ["OBJECT", "DELETED", "USER", "RESOURCE VERSION"],
    ["configmap/prices", AGO, "admin", VERSION],
  ]);
  expect(names).toBe("configmap/prices\n:4\n");
  expect(dry).toEqual(["configmap/prices restored (dry run)\n", "configmap/prices restored (server dry run)\n"]);
  expect((await admin.get(path)).status).toBe(404);
  expect(await run(`rollback configmap/prices --to-revision=${first}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("restore makes it again"),
  });
  expect(await print(`undelete configmap prices --revision=${second}`)).toBe("configmap/prices restored\n");
  expect((await present()).data["apple"]).toBe("2");
  const [again, there] = await Promise.all([
    run("undelete configmap/prices"),
    run("history configmap/prices --deleted"),
  ]);
  expect(again.stderr).toBe('Error from server (AlreadyExists): configmaps "prices" already exists\n');
  expect(there.stderr).toBe("error: configmap/prices is not in the history as a deleted object: it exists\n");
}, 120_000);

test("wrong arguments, and resources without a history, are told apart", async () => {
  const { orch } = at("orch");
  const faults = [
    ["history configmaps", "error: name one object, as in orch history deployment/web\n"],
    [
      "history configmap/x --revision=a",
      '--revision: "a" is not a resource version: it must be a decimal number above 0',
    ],
    ["history configmaps --deleted --revision=1", "--deleted lists objects, and --revision shows a state of one"],
    ["history configmap/x --limit=0", '--limit: "0" must be a number above 0'],
    ["history configmap/nothing", 'Error from server (NotFound): configmaps "nothing" not found\n'],
    ["history lease/x -n shop --revision=1", "the server keeps no history of leases.coordination"],
    ["history leases -n shop --deleted", "history"],
    ["rollback configmap/x", "--to-revision is not set: name a resource version, which orch history TYPE/NAME lists"],
    ["rollback configmap/x --to-revision=0", '--to-revision: "0" is not a resource version'],
    ["rollback configmap x y --to-revision=1", "name one object: each resource version is that of one object"],
    ["rollback configmap/x --to-revision=1 --diff -o yaml", "--diff shows a dry run of the server"],
    [
      "undelete configmap/nothing",
      'no deleted configmaps "nothing" is kept in the history: a list with ?history=deleted',
    ],
    ["undelete configmap x y --revision=1", "--revision is the resource version of one object"],
    ["history configmaps,secrets --deleted", "name one resource, as in orch history configmaps --deleted"],
    ["undelete lease/x", "the server keeps no history of leases.coordination"],
  ] as const;
  const printed = await Promise.all(faults.map(([line]) => orch.run(line.split(" "))));
  expect(printed.map(({ stderr }, row) => ({ line: faults[row]?.[0], stderr }))).toEqual(
    faults.map(([line, text]) => ({ line, stderr: expect.stringContaining(text) })),
  );
  expect(printed.map(({ code }) => code === 0)).not.toContain(true);
});

test("values of Secrets are in neither the table nor the difference", async () => {
  const { orch } = at("orch");
  const print = (line: string) => orch.print(line.split(" "));
  await print("create secret generic key --from-literal=password=first");
  await print('patch secret key --type=merge -p {"data":{"password":"b3RoZXI="}}');
  const text = await print("history secret/key");
  const [, , [first = ""] = []] = tableOf(text);
  expect(text).toContain("~data.password");
  const { stdout } = await orch.run(["rollback", "secret/key", `--to-revision=${first}`, "--diff"]);
  expect(stdout).toContain('+  password: "*** (after)"');
  for (const value of ["b3RoZXI=", Buffer.from("first").toString("base64")])
    for (const each of [text, stdout]) expect(each).not.toContain(value);
});

test("a user who may read the history, or the object, and nothing else sees that part", async () => {
  const { orch } = at("orch");
  const print = (line: string) => orch.print(line.split(" "));
  await print("create configmap hidden --from-literal=a=1");
  await print('patch configmap hidden --type=merge -p {"data":{"a":"2"}}');
  await print("create deployment web --image=web:1");
  await print("create role historian --verb=get --resource=configmaps/history,deployments.apps");
  await print("create rolebinding historian --role=historian --user=eve");
  const history = await eventually("the role is in force", async () => {
    const found = await orch.run(["history", "configmap/hidden", "--as=eve"]);
    return found.code === 0 && found;
  });
  expect(history.stderr).toContain('Warning: the object is not shown: configmaps "hidden" is forbidden: User "eve"');
  expect(tableOf(history.stdout)).toEqual([
    [...HEADERS],
    [VERSION, AGO, "admin", "patch", expect.any(String), '(the patch requires the verb "get" on the object)'],
    [VERSION, AGO, "admin", "create", expect.any(String), "created"],
  ]);
  expect(await orch.run(["history", "deployment/web", "--as=eve"])).toEqual({
    code: 0,
    stdout: expect.stringContaining("deployment.apps/web: created"),
    stderr: expect.stringMatching(/^Warning: the revisions are not shown: replicasets\.apps is forbidden: .*\n$/),
  });
  expect(await orch.run(["history", "configmap/nothing", "--as=eve"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot get resource "configmaps"'),
  });
});
