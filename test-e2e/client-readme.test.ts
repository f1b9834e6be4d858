// The controller in the client's README works. The test extracts its source from there.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type ConnectionSettings } from "@orch/client";
import { pageAt } from "./harness/documents";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";
import { repository } from "./harness/processes";

const folder = join(repository, ".build/readme-controller");
let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function example(): string {
  const { blocks } = pageAt("packages/client/README.md");
  const example = blocks.find(({ language, text }) => language === "ts" && text.includes("mirrorConfigMaps"));
  expect(example).toBeDefined();
  return example?.text ?? "";
}

test("it compiles under the project's own compiler options, in forty lines", () => {
  const code = example();
  expect(code.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(40);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "controller.ts"), code);
  const options = { noEmit: true, composite: false, incremental: false };
  const config = { extends: "../../tsconfig.base.json", compilerOptions: options, files: ["controller.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(repository, "node_modules/.bin/tsc");
  const compile = () => execFileSync(compiler, ["-p", folder], { cwd: repository, encoding: "utf8" });
  expect(compile).not.toThrow();
}, 60_000);

type Controller = { mirrorConfigMaps(signal: AbortSignal, connection: ConnectionSettings): Promise<void> };

test("the example mirrors labelled objects and restores changed ones", async () => {
  const source = join(folder, "controller.ts");
  mkdirSync(folder, { recursive: true });
  writeFileSync(source, example());
  const { mirrorConfigMaps } = require(source) as Controller;
  const client = adminClient(server);
  const maps = client.resource(builtInTypes().configMaps).namespace("default");
  const stop = new AbortController();
  const running = mirrorConfigMaps(stop.signal, adminConnection(server));
  await maps.create({ metadata: { name: "shown", labels: { mirror: "yes" } }, data: { text: "hello" } });
  await maps.create({ metadata: { name: "private" }, data: { text: "secret" } });
  const mirrored = async () => (await maps.find("shown-mirror"))?.data?.["text"] === "hello";
  await eventually("the copy is made", mirrored);
  await maps.delete("shown-mirror");
  await eventually("the copy is restored", mirrored);
  const original = await maps.get("shown");
  await maps.update({ ...original, data: { text: "good morning" } });
  await eventually(
    "the copy follows",
    async () => (await maps.find("shown-mirror"))?.data?.["text"] === "good morning",
  );
  expect(await maps.find("private-mirror")).toBeUndefined();
  stop.abort();
  await running;
  client.close();
});
