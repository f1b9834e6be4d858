// Commands of `orch` that change objects, on a terminal: questions, progress bars and interruptions; and the commands
// for nodes and for parts of workloads.
import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";
import { Terminal } from "./harness/terminal";

const workplace = useWorkplace();
let server: ApiServer;
let orch: Orch;

beforeAll(async () => {
  const flags = ["--vocabulary=kubernetes", "--emulated-release=1.36"];
  server = await startApiServer(workplace, { store: { kind: "memory" }, flags });
  orch = new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) });
}, 60_000);

const configMap = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {set: x}}\ndata: {a: "1"}\n---\n`;

describe("on a terminal", () => {
  test("delete asks before it deletes more than one object", async () => {
    await orch.print(["create", "-f", "-"], { input: configMap("one") + configMap("two") });
    const args = ["delete", "cm", "-l", "set=x"];
    for (const [answer, code, left] of [
      ["n", 0, "one two"],
      ["y", 0, ""],
    ] as const) {
      const terminal = await Terminal.orch(workplace, orch, args);
      const screen = await terminal.until(/Do you want to continue\? \(y\/N\):$/);
      expect(screen).toContain("following 2 object(s):\nconfigmap/one in default\nconfigmap/two in default\n");
      await terminal.type(answer);
      await terminal.press("Enter");
      expect(await terminal.ended()).toBe(code);
      expect(await terminal.screen()).toContain(answer === "n" ? "deletion is cancelled" : 'configmap "two" deleted');
      await terminal.close();
      expect(await orch.print(["get", "cm", "-l", "set=x", "-o", "jsonpath={.items[*].metadata.name}"])).toBe(left);
    }
  }, 60_000);

  test("delete does not ask for one object, with --yes, or in a pipe", async () => {
    await orch.print(["create", "-f", "-"], { input: ["a", "b", "c", "d", "e"].map(configMap).join("") });
    const single = await Terminal.orch(workplace, orch, ["delete", "cm", "a"]);
    expect(await single.ended()).toBe(0);
    const agreed = await Terminal.orch(workplace, orch, ["delete", "cm", "b", "c", "--yes"]);
    expect(await agreed.ended()).toBe(0);
    expect(await orch.print(["delete", "cm", "d", "e"])).toContain('"e" deleted');
    await Promise.all([single.close(), agreed.close()]);
  }, 60_000);

  test("a credential plugin cannot ask on the standard input that a command reads", async () => {
    const home = workplace.folder();
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "echo",
      args: ['{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"none"}}'],
      interactiveMode: "Always",
    };
    const configuration = {
      apiVersion: "v1",
      kind: "Config",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
      // The server of the option stands in for that of the cluster.
      clusters: [{ name: "c", cluster: {} }],
      users: [{ name: "u", user: { exec } }],
    };
    writeFileSync(`${home}/config`, JSON.stringify(configuration));
    const options = [`--kubeconfig=${home}/config`, `--server=${server.url}`, "--insecure-skip-tls-verify"];
    const asking = new Orch({ home, options });
    for (const [words, text] of [
      [["apply", "-f", "-"], "used by stdin resource manifest reader"],
      [["get", "configmaps"], "error: You must be logged in to the server"],
    ] as const) {
      const terminal = await Terminal.orch(workplace, asking, [...words]);
      if (words.some((word) => word === "-")) {
        await terminal.type("{apiVersion: v1, kind: ConfigMap, metadata: {name: typed}}");
        await terminal.press("Enter");
        await terminal.press("C-d");
      }
      expect(await terminal.ended()).toBe(1);
      expect(await terminal.screen()).toContain(text);
      await terminal.close();
    }
  }, 60_000);

  test("apply shows its progress, and continues after an interruption", async () => {
    const input = Array.from({ length: 1500 }, (_, at) => configMap(`many-${at}`)).join("");
    const file = `${orch.of.home}/many.yaml`;
    writeFileSync(file, input);
    const terminal = await Terminal.orch(workplace, orch, ["apply", "-f", file]);
    await terminal.until(/^\[#+ *\] +\d+% \d+\/1500 applying(?:, \d+ s left)?$/m);
    await terminal.press("C-c");
    expect(await terminal.ended()).toBe(130);
    const screen = await terminal.screen();
    expect(screen).toMatch(/interrupted: \d+ of 1500 objects are applied; repeat the command to continue$/);
    expect(screen).not.toMatch(/^\[#/m);
    await terminal.close();
    const { stdout, stderr } = await orch.run(["apply", "-f", file]);
    expect([stdout.split("\n").length - 1, stderr]).toEqual([1500, ""]);
    const list = await orch.print(["get", "cm", "-l", "set=x", "-o", "name"]);
    expect(list.split("\n").length - 1).toBe(1500);
  }, 120_000);
});

/** Words, standard output, standard error and exit code, which are those of kubectl 1.36. */
type Row = readonly [words: string, stdout: string, stderr?: string, code?: number];

const ROWS: readonly Row[] = [
  ["cordon node-1", "node/node-1 cordoned\n"],
  ["cordon node-1", "node/node-1 already cordoned\n"],
  ["uncordon node-1", "node/node-1 uncordoned\n"],
  ["cordon gone", "", 'Error from server (NotFound): nodes "gone" not found\n', 1],
  ["taint node node-1 a=b:NoSchedule", "node/node-1 tainted\n"],
  [
    "taint node node-1 a=c:NoSchedule",
    "",
    "error: node node-1 already has a taint(s) with same effect(s) and --overwrite is false\n",
    1,
  ],
  ["taint node node-1 a=c:NoSchedule --overwrite", "node/node-1 modified\n"],
  ["taint node node-1 a-", "node/node-1 untainted\n"],
  ["create deployment w --image=a:1 --port=80", "deployment.apps/w created\n"],
  ["set image deploy/w a=a:2", "deployment.apps/w image updated\n"],
  ["set image deploy/w a=a:2", ""],
  ["set image deploy/w x=a:2", "", 'error: unable to find container named "x"\n', 1],
  ["set env deploy/w A=1 B=2", "deployment.apps/w env updated\n"],
  ["set env deploy/w A-", "deployment.apps/w env updated\n"],
  ["get deploy w -o jsonpath={.spec.template.spec.containers[0].env}", '[{"name":"B","value":"2"}]'],
  ["set resources deploy/w --limits=cpu=200m", "deployment.apps/w resource requirements updated\n"],
  ["expose deploy w", "service/w exposed\n"],
  ["expose cm none --port=80", "", 'Error from server (NotFound): configmaps "none" not found\n', 1],
  ["autoscale deploy w --max=3 --cpu=80%", "horizontalpodautoscaler.autoscaling/w autoscaled\n"],
  ["run p --image=Bad", "", 'error: Invalid image name "Bad": invalid reference format\n', 1],
  ["run p --image=a:1 --restart=Never -- a b", "pod/p created\n"],
  ["get pod p -o jsonpath={.spec.containers[0].args}", '["a","b"]'],
];

test("commands for nodes and parts of workloads print and return what kubectl does", async () => {
  await orch.print(["create", "-f", "-"], { input: "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n" });
  for (const [words, stdout, stderr = "", code = 0] of ROWS) {
    const result = await orch.run(words.split(" "));
    expect({ words, stdout: result.stdout, stderr: result.stderr, code: result.code }).toEqual({
      words,
      stdout,
      stderr,
      code,
    });
  }
}, 60_000);

test("drain refuses pods that would be lost, and evicts the others", async () => {
  const pod = (name: string, spec = "") =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {nodeName: drained, terminationGracePeriodSeconds: 0, containers: [{name: c, image: x}]${spec}}\n---\n`;
  const node = "apiVersion: v1\nkind: Node\nmetadata: {name: drained}\n---\n";
  await orch.print(["create", "-f", "-"], {
    input: node + pod("alone") + pod("data", ", volumes: [{name: v, emptyDir: {}}]"),
  });
  const refused = await orch.run(["drain", "drained", "--force"]);
  expect([refused.code, refused.stdout]).toEqual([1, "node/drained cordoned\n"]);
  expect(refused.stderr).toContain(
    "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/data",
  );
  const { stdout, stderr, code } = await orch.run(["drain", "drained", "--force", "--delete-emptydir-data"]);
  expect([code, stderr]).toEqual([
    0,
    "Warning: deleting Pods that declare no controller: default/alone, default/data\n",
  ]);
  expect(stdout.split("\n").sort()).toEqual(
    [
      "",
      "evicting pod default/alone",
      "evicting pod default/data",
      "node/drained already cordoned",
      "node/drained drained",
      "pod/alone evicted",
      "pod/data evicted",
    ].sort(),
  );
}, 60_000);
