// Candidates for command lines, and support bundles, against a server in each vocabulary.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { freePort } from "./harness/free-port";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const NAMES = ["orch", "kubernetes"] as const;
type Name = (typeof NAMES)[number];
const servers = new Map<Name, ApiServer>();

beforeAll(async () => {
  for (const name of NAMES) {
    servers.set(
      name,
      await startApiServer(workplace, { name, store: { kind: "memory" }, flags: [`--vocabulary=${name}`] }),
    );
  }
}, 60_000);

const serverOf = (name: Name): ApiServer => servers.get(name) as ApiServer;
const orchOf = (name: Name): Orch => new Orch({ home: workplace.folder(), options: Orch.optionsFor(serverOf(name)) });

describe.each(NAMES)("a server of the vocabulary %s", (name) => {
  test("gives names of resources, objects and namespaces for a command line", async () => {
    const maps = "/api/v1/namespaces/default/configmaps";
    for (const each of ["alpha", "beta"]) await serverOf(name).admin.post(maps, { metadata: { name: each } });
    const { options = [], ...rest } = orchOf(name).of;
    const alone = new Orch(rest);
    const complete = async (...words: string[]) =>
      (await alone.print(["__complete", ...options, ...words]))
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0]);
    expect(await complete("get", "confi")).toEqual(["configmaps", ":4"]);
    expect(await complete("get", "configmaps", "al")).toEqual(["alpha", ":4"]);
    expect(await complete("get", "configmaps/b")).toEqual(["configmaps/beta", ":4"]);
    expect(await complete("get", "-n", "default", "configmaps", "")).toEqual(expect.arrayContaining(["alpha", "beta"]));
    const system = name === "orch" ? "orch-system" : "kube-system";
    expect(await complete("get", "pods", "-n", "")).toEqual(expect.arrayContaining([system, "default"]));
    expect(await complete("get", "pods", `--namespace=${system.slice(0, 6)}`)).toContain(`--namespace=${system}`);
    expect(await complete("get", "pods", "-n", "none", "")).toEqual([":4"]);
    expect(await complete("get", "nothing", "")).toEqual([":4"]);
  });

  test("shows its rates, watchers and clients, and the sizes of its objects", async () => {
    const orch = orchOf(name);
    const text = await orch.print(["top", "--interval=200ms"]);
    expect(text).toMatch(
      /^Requests: +\d+\.\d\/s over \d\.\d s, 0\.0\/s with server errors\nCPU: +\d+\.\d% of a processor, \d+\.\d% of it for the clients below\n/,
    );
    expect(text).toMatch(/^USER +PER SECOND +REQUESTS +CPU +WATCHES +PROGRAM$/m);
    expect(text).toMatch(/^admin +\d+\.\d +\d+ +\d+\.\d% +0 +orch\/\S+/m);
    const sizes = JSON.parse(await orch.print(["top", "objects", "-o", "json"]));
    expect(sizes).toMatchObject({ lacking: [], total: { objects: expect.any(Number) } });
    const sum = (list: readonly { objects: number }[]) => list.reduce((total, { objects }) => total + objects, 0);
    expect(sum(sizes.kind)).toBe(sizes.total.objects);
    expect(sum(sizes.namespace)).toBe(sizes.total.objects);
    expect(await orch.print(["top", "objects", "--by=manager", "--rows=1"])).toMatch(
      /\n\nMANAGER +OBJECTS +BYTES\n\S+ +\d+ +\S+ \S+\n\.\.\. and \d+ more\n$/,
    );
    const guest = await orch.run(["top", "--as=guest"]);
    expect([guest.code, guest.stderr]).toEqual([1, expect.stringMatching(/^Error from server \(Forbidden\): /)]);
  });

  test("gives a support bundle in which no secret is", async () => {
    const orch = orchOf(name);
    const hidden = {
      object: "c2VjcmV0LW9mLW9iamVjdA-in-clear",
      log: "log-password-value",
      url: "explorer-token-value",
    };
    await serverOf(name).admin.post("/api/v1/namespaces/default/secrets", {
      ...{
        metadata: { name: "hidden", annotations: { note: hidden.object } },
        stringData: { password: hidden.object },
      },
    });
    const token = (await orch.print(["token", "create"])).trim();
    // A data directory with what must not be taken from one.
    const dataDir = join(orch.of.home, ".orch");
    mkdirSync(join(dataDir, "pki"), { recursive: true });
    await new Orch({ home: orch.of.home }).print(["cert", "init", ".orch/pki", "apiserver"]);
    const key = readFileSync(join(dataDir, "pki/apiserver.key"), "utf8");
    writeFileSync(join(dataDir, "explorer.url"), `https://x/docs#token=${hidden.url}\n`);
    writeFileSync(
      join(dataDir, "up.log"),
      `ready password=${hidden.log}\nsaw ${token}\n${key}\nBearer admin-token\ngoodbye\n`,
    );
    const text = await orch.print(["support-bundle", "bundle.tar.gz"]);
    expect(text).toMatch(/^bundle\.tar\.gz: \d+ files, \S+ KiB\n/);
    expect(text).toContain("\nLeft out of this bundle:\n- objects: Secrets");
    const tar = gunzipSync(readFileSync(join(orch.of.home, "bundle.tar.gz"))).toString("utf8");
    const inOneLine = key.split("\n").slice(1, -2);
    for (const secret of [...Object.values(hidden), token, "admin-token", ...inOneLine, "PRIVATE KEY"]) {
      expect([secret, tar.includes(secret)]).toEqual([secret, false]);
    }
    for (const part of [
      "LEFT-OUT.txt",
      "health/readyz.txt",
      "metrics/metrics.txt",
      "counts/objects.json",
      "logs/up.log",
      "status.json",
    ]) {
      expect(tar).toContain(`orch-support/${part}`);
    }
    expect(tar).toContain("goodbye");
    expect(tar).toMatch(/"secrets": \d+/);
    expect((await orch.run(["support-bundle", "bundle.tar.gz"])).stderr).toMatch(/^error: bundle\.tar\.gz exists/);
  });
});

describe("completion", () => {
  test("offers commands, subcommands, options and their values without a server", async () => {
    const orch = new Orch({ home: workplace.folder(), options: ["__complete"] });
    const config = join(orch.of.home, "config");
    writeFileSync(config, "contexts: [{name: here, context: {}}, {name: there, context: {}}]\n");
    const lines = async (...words: string[]) => (await orch.print(words)).trimEnd().split("\n");
    expect(await lines("vers")).toEqual(["version\tshow the versions of the command and of the server", ":4"]);
    expect(await lines("token", "")).toEqual(expect.arrayContaining([expect.stringMatching(/^create\t/), ":4"]));
    expect(await lines("cert", "renew", "--new")).toEqual([expect.stringMatching(/^--new-key\t/), ":4"]);
    expect(await lines("version", "-o", "")).toEqual(["json", "yaml", ":4"]);
    expect(await lines("get", `--kubeconfig=${config}`, "--context", "th")).toEqual(["there", ":4"]);
    expect(await lines("completion", "")).toEqual(["bash", "fish", "kubectl", "zsh", ":4"]);
    expect(await lines("restore", "")).toEqual([":0"]);
    const away = await lines("get", `--server=https://127.0.0.1:${await freePort()}`, "");
    expect(away).toEqual([":4"]);
    const { stderr } = await new Orch({ home: orch.of.home }).run(["completion", "csh"]);
    expect(stderr).toBe('error: "csh" is not a known shell: use bash, fish, kubectl, zsh\n');
  });
});
