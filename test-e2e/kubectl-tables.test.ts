// What the command-line clients of the Kubernetes ecosystem print: the server's own tables. Debian's, and a newer one where the machine
// has it.
import { execFile, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { tool, useWorkplace } from "./harness/processes";

const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "kubectl"));
const newer = onPath.filter((path) => existsSync(path)).slice(0, 1);
const CLIENTS = [["of Debian", tool("kubectl")], ...newer.map((path) => ["on the path", path])] as [string, string][];

const workplace = useWorkplace();
let server: ApiServer;
let folder: string;
let options: readonly string[];

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" }, flags: ["--vocabulary=kubernetes"] });
  folder = workplace.folder();
  const { ca } = server.authority.issue("apiserver");
  options = [
    `--server=${server.url}`,
    `--certificate-authority=${ca}`,
    "--token=admin-token",
    `--cache-dir=${folder}/cache`,
    "--namespace=default",
  ];
  const file = join(folder, "pods.json");
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "web" } },
    spec: { containers: [{ name: "a", image: "a:1" }], nodeName: "node-1" },
  });
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: [pod("first"), pod("second")] }));
  await promisify(execFile)(tool("kubectl"), [...options, "create", "-f", file], { env: { HOME: folder } });
}, 60_000);

describe.each(CLIENTS)("the client %s", (_which, program) => {
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, [...options, ...args], { timeout: 60_000, env: { HOME: folder } })).stdout;
  /** Words between two spaces or more. */
  const table = async (...args: readonly string[]) =>
    (await kubectl(...args))
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd().split(/ {2,}/));

  test("prints the columns of a kind, and all of them on demand", async () => {
    const [head, ...rows] = await table("get", "pods");
    expect(head).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    const age = expect.stringMatching(/^\d+[sm]/);
    expect(rows).toEqual(["first", "second"].map((name) => [name, "0/1", "Pending", "0", age]));
    expect((await table("get", "pods", "-o", "wide"))[0]).toEqual([
      ...["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
    ]);
    expect((await table("get", "pod", "second", "-o", "wide"))[1]).toEqual([
      "second",
      "0/1",
      "Pending",
      "0",
      age,
      "<none>",
      "node-1",
      "<none>",
      "<none>",
    ]);
  }, 60_000);

  test("prints labels from the metadata in the rows, and sorts by it", async () => {
    const rows = await table("get", "pods", "-L", "app", "--sort-by=.metadata.creationTimestamp");
    expect(rows[1]?.at(-1)).toBe("web");
    expect(await kubectl("get", "pods", "--show-labels")).toContain("app=web");
    expect(await kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}")).toBe("first second");
    expect(parse(await kubectl("get", "pod", "first", "-o", "yaml"))).toMatchObject({ kind: "Pod" });
    expect(await table("get", "pods", "-o", "custom-columns=N:.metadata.name")).toEqual([["N"], ["first"], ["second"]]);
  }, 60_000);

  test("prints a change of what it watches as a row below the same columns", async () => {
    const watching = spawn(program, [...options, "get", "pods", "--watch"], { env: { HOME: folder } });
    let shown = "";
    watching.stdout.on("data", (text) => (shown += text));
    const rowsOfSecond = () => shown.split("\n").filter((line) => line.startsWith("second ")).length;
    try {
      await eventually("what there is is shown", async () => rowsOfSecond() === 1);
      await kubectl("annotate", "pod", "second", "--overwrite", `changed=${program.length}`);
      await eventually("the change is shown", async () => rowsOfSecond() === 2);
      expect(shown.match(/NAME/g)).toHaveLength(1);
    } finally {
      watching.kill();
    }
  }, 60_000);
});

test("a list of several kinds prints a table of each", async () => {
  const { stdout } = await promisify(execFile)(tool("kubectl"), [...options, "get", "pods,namespaces"], {
    env: { HOME: folder },
  });
  expect(stdout).toMatch(
    /^NAME +READY.*\npod\/first.*\npod\/second.*\n\nNAME +STATUS +AGE\nnamespace\/default +Active/,
  );
}, 60_000);
