// Server-side tables in kubectl: Debian's, and others that are named.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { eventually } from "./harness/eventually";
import { type Kubectl, MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { tool, useWorkplace } from "./harness/processes";

const CLIENTS = [["of Debian", tool("kubectl")], ...MORE_CLIENTS.map((path) => [path, path])] as [string, string][];

const workplace = useWorkplace();
let ofDebian: Kubectl;

beforeAll(async () => {
  ({ client: ofDebian } = await startWithKubectl(workplace, { options: ["--namespace=default"] }));
  const file = join(ofDebian.folder, "pods.json");
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "web" } },
    spec: { containers: [{ name: "a", image: "a:1" }], nodeName: "node-1" },
  });
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: [pod("first"), pod("second")] }));
  await ofDebian.print(["create", "-f", file]);
}, 60_000);

describe.each(CLIENTS)("the client %s", (which, program) => {
  const client = (): Kubectl => ofDebian.of(program);
  const kubectl = (...args: readonly string[]): Promise<string> => client().print(args);
  /** Cells are separated by two spaces or more. */
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
    const watching = client().start(["get", "pods", "--watch"]);
    let shown = "";
    watching.stdout.on("data", (text) => (shown += text));
    const rowsOfSecond = () => shown.split("\n").filter((line) => line.startsWith("second ")).length;
    try {
      await eventually("what there is is shown", async () => rowsOfSecond() === 1);
      await kubectl("annotate", "pod", "second", "--overwrite", `changed-by=${which}`);
      await eventually("the change is shown", async () => rowsOfSecond() === 2);
      expect(shown.match(/NAME/g)).toHaveLength(1);
    } finally {
      watching.kill();
    }
  }, 60_000);
});

test("a list of several kinds prints a table of each", async () => {
  expect(await ofDebian.print(["get", "pods,namespaces"])).toMatch(
    /^NAME +READY.*\npod\/first.*\npod\/second.*\n\nNAME +STATUS +AGE\nnamespace\/default +Active/,
  );
}, 60_000);
