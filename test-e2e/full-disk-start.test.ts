// A server with all required files starts on a full disk: convenience files are skipped with a log line.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { configMap } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { ApiClient } from "./harness/https-client";
import { type Program, repository, useWorkplace } from "./harness/processes";

const MAPS = "/api/v1/namespaces/default/configmaps";
/** Error of a full disk: no file can grow, including the log and the store's journal. */
const FULL = "EFBIG: file too large, write";

const workplace = useWorkplace();

interface Started {
  readonly program: Program;
  readonly admin: () => ApiClient;
  /** Output in order. It arrives by a pipe, to which file limits do not apply. */
  said(): string;
}

async function start(name: string, data: string, isFull: boolean, flags: readonly string[] = []): Promise<Started> {
  const pipe = join(workplace.folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = workplace.start({ name: `${name}-says`, program: "cat", args: [pipe] });
  const port = await freePort();
  const folder = name.startsWith("standalone") ? "standalone" : "apiserver-program";
  const main = join(repository, "packages", folder, "dist/main.js");
  const at = ["--bind-address=127.0.0.1", `--secure-port=${port}`, "--authorization-mode=RBAC", `--data-dir=${data}`];
  const program = workplace.start({
    name,
    program: "bash",
    args: ["-c", `${isFull ? "ulimit -f 0 && " : ""}exec "$@"`, "-", process.execPath, main, ...at, ...flags],
    output: { stdout: pipe, stderr: pipe },
  });
  const pki = (file: string) => readFileSync(join(data, "pki", file));
  const credentials = () => ({ ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") });
  return {
    program,
    admin: () => new ApiClient(`https://127.0.0.1:${port}`, credentials()),
    said: () => reader.logText(),
  };
}

const unfinished = (data: string): string[] =>
  readdirSync(data, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".new"));

/** Contents of the files that each start writes anew with its address. */
const contents = (data: string): string[] =>
  ["explorer.url", "admin.kubeconfig", "controller-manager.kubeconfig", "pki/apiserver.crt", "pki/apiserver.key"].map(
    (file) => readFileSync(join(data, file), "utf8"),
  );

test.each(["apiserver", "standalone"])(
  "%s starts on a store that is there, serves reads, says that it is full, and leaves the former files",
  async (main) => {
    const data = workplace.folder();
    const first = await start(`${main}-first`, data, false);
    await eventually("it is ready", async () => first.said().includes('"message":"ready"'));
    const before = first.admin();
    expect((await before.post(MAPS, configMap("kept", { text: "yes" }))).status).toBe(201);
    await eventually("it has written all files", async () => existsSync(join(data, "controller-manager.kubeconfig")));
    await first.program.kill();
    const files = contents(data);

    // The certificate lacks this name, too.
    const second = await start(`${main}-full`, data, true, ["--external-hostname=api.example"]);
    await eventually("it is ready", async () => second.said().includes('"message":"ready"'));
    const admin = second.admin();
    expect((await admin.get(`${MAPS}/kept`)).status).toBe(200);
    expect((await admin.post(MAPS, configMap("refused", { text: "" }))).status).toBe(500);
    expect((await admin.get("/readyz")).status).toBe(500);
    expect((await admin.get("/readyz/store")).body).toContain("NOSPACE");
    const warnings = () =>
      second
        .said()
        .split("\n")
        .filter((line) => line.includes("a file could not be written") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await eventually("it has told of the four files", async () => warnings().length >= 4);
    const told = (option: string) => `--${option}: a file could not be written`;
    expect(warnings().map(({ message, error }) => [message, error])).toEqual([
      [told("data-dir"), FULL],
      [told("explorer-link-file"), FULL],
      [told("data-dir"), FULL],
      [told("data-dir"), FULL],
    ]);
    expect(contents(data)).toEqual(files);
    expect(unfinished(data)).toEqual([]);
    expect(await second.program.stop()).toBe(0);
  },
  60_000,
);

test.each(["apiserver", "standalone"])(
  "%s without certificates yet says that there is no room for them: 27",
  async (main) => {
    const data = workplace.folder();
    const server = await start(`${main}-none`, data, true);
    expect(await server.program.ended).toBe(27);
    expect(server.said()).toContain(`error: --data-dir: ${FULL}\nerror: free space on its disk\n`);
    expect(unfinished(data)).toEqual([]);
  },
);

test("a link that cannot be written for another reason ends the start, by the name of its option", async () => {
  const data = workplace.folder();
  writeFileSync(join(data, "file"), "");
  const server = await start("apiserver-wrong", data, false, [
    "--store=memory",
    `--explorer-link-file=${join(data, "file/link")}`,
  ]);
  expect(await server.program.ended).toBe(1);
  expect(server.said()).toContain("error: --explorer-link-file: E");
  rmSync(join(data, "file"));
});
