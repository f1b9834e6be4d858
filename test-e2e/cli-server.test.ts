// Commands that keep servers, on an embedded store in one vocabulary and on etcd in the other: status, bootstrap tokens,
// certificates, deprecated uses, backups and the store.
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { type EtcdCluster, startEtcd } from "./harness/etcd";
import { eventually, sleep } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const SYSTEM = { orch: "orch-system", kubernetes: "kube-system" } as const;
type Name = keyof typeof SYSTEM;
const NAMES = ["orch", "kubernetes"] as const;
const PUBLIC = { orch: "orch-public", kubernetes: "kube-public" } as const;
const servers = new Map<Name, ApiServer>();
let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcd(workplace);
  await etcd.untilHealthy();
  const flags = ["--enable-bootstrap-token-auth"];
  const on = (name: Name, store: Parameters<typeof startApiServer>[1]["store"], more: readonly string[]) =>
    startApiServer(workplace, { name, store, flags: [`--vocabulary=${name}`, ...flags, ...more] });
  const [orch, kubernetes] = await Promise.all([
    on("orch", { kind: "embedded" }, []),
    on("kubernetes", { kind: "etcd", endpoints: etcd.endpoints }, ["--emulated-release=1.36"]),
  ]);
  servers.set("orch", orch);
  servers.set("kubernetes", kubernetes);
}, 60_000);

const serverOf = (name: Name): ApiServer => servers.get(name) as ApiServer;
const orchOf = (name: Name): Orch => new Orch({ home: workplace.folder(), options: Orch.optionsFor(serverOf(name)) });
const at = (orch: Orch, file: string): string => join(orch.of.home, file);

describe.each(NAMES)("a server of the vocabulary %s", (name) => {
  test("shows its health check by check, its store, its certificates and its versions", async () => {
    const orch = orchOf(name);
    const { stdout, stderr, code } = await orch.run(["status"]);
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout).toMatch(
      /^Server: +https:\/\/127\.0\.0\.1:\d+\nVersion: +v1\.\S+ \(linux\/\S+\); command: \d\S*\nHealth: +ok\nStore: .*B, \d+ objects\n/,
    );
    expect(stdout).toMatch(/^CHECK +READYZ +LIVEZ\nping +ok +ok$/m);
    expect(stdout).toMatch(/^serving +CN=\S+ +CN=\S+ +\d{4}-\d\d-\d\d +\d+ +ok$/m);
    if (name === "kubernetes")
      expect(stdout).toMatch(/^REPLICA +HOST +SEEN +STATE\napiserver-\S+ +\S+ +\d+s ago +alive$/m);
    const status = JSON.parse(await orch.print(["status", "-o", "json"]));
    expect(status).toMatchObject({ healthy: true, problems: [], unavailable: [], readyz: { isOk: true } });
    expect(status.certificates.map((each: { name: string }) => each.name)).toContain("authority");
  });

  test("is not healthy while a leader lease has expired, and exit code 1 says so", async () => {
    const orch = orchOf(name);
    const group = name === "orch" ? "coordination.orch.io" : "coordination.k8s.io";
    const path = `/apis/${group}/v1/namespaces/${SYSTEM[name]}/leases`;
    const spec = {
      holderIdentity: "worker\u001b[2J",
      leaseDurationSeconds: 15,
      renewTime: "2020-01-01T00:00:00.000000Z",
    };
    await serverOf(name).admin.post(path, { metadata: { name: "elected" }, spec });
    const { stdout, code } = await orch.run(["status"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Health: +NOT HEALTHY \(1\)$/m);
    expect(stdout).toMatch(/^elected +worker\\x1b\[2J +\d+s ago +0 +EXPIRED$/m);
    expect(stdout).not.toContain("\u001b");
    await serverOf(name).admin.delete(`${path}/elected`);
    expect((await orch.run(["status"])).code).toBe(0);
  });

  test("without permissions, status names what it could not read", async () => {
    const orch = orchOf(name);
    const { stdout, code } = await orch.run(["status", "--as=guest"]);
    expect(stdout).toMatch(/^Not available:\n {2}leases: leases\.\S+ is forbidden: User "guest"/m);
    expect(code).toBe(0);
  });

  test("cluster-info is published with an address, for everyone", async () => {
    const address = "https://api.example.com:8443";
    expect((await orchOf(name).run(["token", "publish", `--address=${address}`])).stderr).toBe(
      `published ${address} in the config map cluster-info\n`,
    );
    const published = await orchOf(name).print([
      "get",
      "configmap",
      "cluster-info",
      "-n",
      PUBLIC[name],
      "-o",
      "jsonpath={.data}",
    ]);
    expect(published).toContain(address);
    expect((await orchOf(name).run(["token", "publish", "--address=nowhere"])).stderr).toContain(
      "is not a URL of https",
    );
  });

  test("a bootstrap token is created, authenticates, is listed and is deleted", async () => {
    const orch = orchOf(name);
    const token = (
      await orch.print(["token", "create", "--ttl=90m", "--description=rack 7", "--groups=system:bootstrappers:racks"])
    ).trim();
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    const asToken = new Orch({
      home: workplace.folder(),
      options: [...Orch.optionsFor(serverOf(name)).slice(0, 2), `--token=${token}`],
    });
    expect((await asToken.run(["token", "list"])).stderr).toContain(
      `User "system:bootstrap:${token.slice(0, 6)}" cannot list`,
    );
    const list = await orch.print(["token", "list"]);
    expect(list).toMatch(/^TOKEN +TTL +EXPIRES +USAGES +DESCRIPTION +EXTRA GROUPS\n/);
    expect(list).toMatch(
      new RegExp(
        `^${token.replace(".", "\\.")} +1h +\\S+ +signing,authentication +rack 7 +system:bootstrappers:racks$`,
        "m",
      ),
    );
    const named = "abcdef.0123456789abcdef";
    expect(
      await orch.print(["token", "create", named, "--ttl=0", "--usages=authentication", "--print-join-command"]),
    ).toMatch(
      new RegExp(
        `^kubeadm join 127\\.0\\.0\\.1:\\d+ --token ${named} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}\n$`,
      ),
    );
    expect(JSON.parse(await orch.print(["token", "list", "-o", "json"]))).toContainEqual({
      ...{ token: named, usages: ["authentication"], description: "", groups: [], flaws: [] },
    });
    expect(await orch.print(["token", "delete", "abcdef", token])).toBe(
      `bootstrap token "abcdef" deleted\nbootstrap token "${token.slice(0, 6)}" deleted\n`,
    );
    expect((await orch.run(["token", "list"])).stderr).toBe("No bootstrap tokens found.\n");
    const file = at(orch, "bootstrap.kubeconfig");
    const joining = (await orch.print(["token", "create", `--bootstrap-config=${file}`])).trim();
    expect(readFileSync(file, "utf8")).toContain(joining);
    expect(
      (await new Orch({ home: workplace.folder() }).run(["token", "list", `--kubeconfig=${file}`])).stderr,
    ).toContain("system:bootstrap:");
    await orch.print(["token", "delete", joining]);
  });

  test.each([
    [["create", "abc"], /^error: the token must have the form/],
    [["create", "--ttl=soon"], /^error: --ttl: "soon" is not a duration/],
    [["create", "--usages=all"], /^error: --usages: "all" is not known: use signing, authentication\n/],
    [["create", "--groups=system:masters"], /^error: data\[auth-extra-groups\]: must be/],
    [["delete", "ABC"], /^error: "ABC"… is not a token or its id/],
    [["delete", "zzzzzz"], /^Error from server \(NotFound\): secrets "bootstrap-token-zzzzzz" not found\n$/],
  ])("token %j is refused", async (words, text) => {
    const { stdout, stderr, code } = await orchOf(name).run(["token", ...words]);
    expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(text), 1]);
  });

  test("deprecated uses are shown with their clients", async () => {
    const orch = orchOf(name);
    const old = name === "orch" ? "/apis/policy/v1beta1/poddisruptionbudgets" : "/api/v1/componentstatuses";
    await serverOf(name).admin.get(old);
    const text = await orch.print(["deprecations"]);
    if (name === "orch") {
      expect(text).toMatch(/^RESOURCE +VERSION +REMOVED IN +REPLACEMENT +USER +REQUESTS +LAST +PROGRAM\n/m);
      expect(text).toMatch(/^poddisruptionbudgets +policy\/v1beta1 +1\.25 +policy\/v1 \S+ +\S+ +1 +20\S+Z/m);
    }
    expect(JSON.parse(await orch.print(["deprecations", "-o", "json"]))).toMatchObject({
      requests: expect.any(Array),
      managedFields: [],
    });
  });
});

describe("certificates", () => {
  test("are made in a folder, shown and renewed with their names, groups and keys", async () => {
    const orch = new Orch({ home: workplace.folder() });
    await orch.print(["cert", "init", "pki", "api", "--host=api.example", "--host=10.0.0.1"]);
    await orch.print(["cert", "init", "pki", "ann", "--group=developers", "--group=testers"]);
    const show = await orch.print(["cert", "show", "pki"]);
    expect(show).toMatch(/^pki\/ann\.crt +O=developers, O=testers, CN=ann +CN=orch-ca +\S+ +364 +ok$/m);
    expect(show).toMatch(/^pki\/ca\.crt +CN=orch-ca +itself +\S+ +36\d\d +ok$/m);
    const before = readFileSync(at(orch, "pki/api.crt"), "utf8");
    const key = readFileSync(at(orch, "pki/api.key"), "utf8");
    const facts = async () => JSON.parse(await orch.print(["cert", "show", "pki/api.crt", "-o", "json"]))[0];
    const first = await facts();
    expect(first).toMatchObject({ names: ["api.example", "10.0.0.1"], isAuthority: false });
    expect(await orch.print(["cert", "renew", "--data-dir=pki", "api"])).toMatch(
      /^renewed pki\/api\.crt until \S+\nA running API server uses its new certificate within a minute; restart other servers/,
    );
    expect(readFileSync(at(orch, "pki/api.crt"), "utf8")).not.toBe(before);
    expect(readFileSync(at(orch, "pki/api.key"), "utf8")).toBe(key);
    const { subject, names } = await facts();
    expect({ subject, names }).toEqual({ subject: first.subject, names: first.names });
    await orch.print(["cert", "renew", "--data-dir=pki", "--new-key", "api"]);
    expect(readFileSync(at(orch, "pki/api.key"), "utf8")).not.toBe(key);
    const failures: [string[], RegExp][] = [
      [["cert", "renew", "--data-dir=pki"], /^error: pki has no certificates that a server made/],
      [["cert", "renew", "--data-dir=pki", "bob"], /^error: pki has no certificate "bob" \(it has: ann, api, ca\)\n/],
      [["cert", "renew", "--data-dir=pki", "ca"], /^error: ca is the authority/],
      [["cert", "renew", "--data-dir=none"], /^error: none: no such file or directory/],
      [["cert", "init", "pki", "api"], /^error: pki\/api\.crt exists: renew it/],
      [["cert", "init", "pki", "../x"], /^error: "\.\.\/x" is not a name/],
      [["cert", "show", "none"], /^error: none: no such file or folder\n$/],
    ];
    for (const [words, text] of failures) {
      const { stdout, stderr, code } = await orch.run(words);
      expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(text), 1]);
    }
    writeFileSync(at(orch, "pki/api.key"), readFileSync(at(orch, "pki/ann.key")));
    expect((await orch.run(["cert", "renew", "--data-dir=pki", "api"])).stderr).toMatch(/do not belong together/);
  });

  test("are made for each machine of a cluster, follow its address, and are renewed only when asked", async () => {
    const orch = new Orch({ home: workplace.folder() });
    const cluster = (...more: readonly string[]) => orch.print(["cert", "cluster", "pki", ...more]);
    const first = await cluster("--machine=m1=192.0.2.11", "--machine=m2=192.0.2.12", "--address=192.0.2.10");
    expect(first).toMatch(/^made the authority ca\nmade the authority etcd-ca\nmade the authority service-account\n/);
    const facts = async (path: string) =>
      JSON.parse(await orch.print(["cert", "show", `pki/${path}`, "-o", "json"]))[0];
    const serving = await facts("m1/orch/apiserver.crt");
    expect(serving.names).toEqual(expect.arrayContaining(["m1", "192.0.2.11", "192.0.2.10", "orch.default.svc"]));
    expect(serving.names).not.toContain("192.0.2.12");
    expect((await facts("m2/etcd/member.crt")).issuer).toMatch(/^CN=orch-etcd-ca-/);
    expect((await facts("m2/orch/controller-manager.crt")).subject).toBe("CN=system:orch-controller-manager");
    expect(readFileSync(at(orch, "pki/admin.kubeconfig"), "utf8")).toContain("server: https://192.0.2.10:8443");
    // A repeated command changes nothing.
    expect(await cluster()).toBe("");
    // Only the certificates of the machine that moved are issued again.
    expect(await cluster("--machine=m2=192.0.2.99")).toMatch(
      /^(issued pki\/m2\/\S+ until \S+: its addresses have changed\n){3}$/,
    );
    expect((await facts("m2/orch/apiserver.crt")).names).toContain("192.0.2.99");
    expect(await cluster("--renew")).toMatch(/^(issued \S+ until \S+: renewed\n){13}$/);
    expect((await facts("m1/orch/apiserver.crt")).names).toEqual(serving.names);
    const failures: [string[], RegExp][] = [
      [["cluster", "none"], /^error: --machine is required the first time/],
      [["cluster", "pki", "--machine=m3"], /^error: --machine: "m3" must be NAME=ADDRESS/],
      [["cluster", "pki", "--machine=../x=192.0.2.1"], /must be NAME=ADDRESS/],
      [["cluster", "pki", "--machine=authority=192.0.2.1"], /must be NAME=ADDRESS/],
      [["cluster", "pki", "--machine=m3=no address"], /is neither an IP address nor a DNS name/],
      [["cluster", "pki", "--address="], /is neither an IP address nor a DNS name/],
      [["cluster", "pki", "--port=0"], /^error: --port: "0" is not a port/],
      [["rotate", "none", "ca", "trust"], /^error: none has no cluster.json/],
      [["rotate", "pki", "cb", "trust"], /^error: "cb" is no authority: use ca, etcd-ca, service-account/],
      [["rotate", "pki", "ca", "begin"], /^error: "begin" is no step: use trust, use, finish/],
    ];
    for (const [words, text] of failures) {
      const { stdout, stderr, code } = await orch.run(["cert", ...words]);
      expect([words, stdout, stderr, code]).toEqual([words, "", expect.stringMatching(text), 1]);
    }
    expect(existsSync(at(orch, "none"))).toBe(false);
  });

  test("have another authority after three steps, each of which trusts what is in use", async () => {
    const orch = new Orch({ home: workplace.folder() });
    await orch.print(["cert", "cluster", "pki", "--machine=m1=192.0.2.11"]);
    const read = (path: string) => readFileSync(at(orch, `pki/${path}`), "utf8");
    const blocks = (path: string) => read(path).match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
    const rotate = (name: string, step: string) => orch.run(["cert", "rotate", "pki", name, step]);
    const [old] = blocks("m1/orch/ca.crt");
    const leaf = read("m1/orch/apiserver.crt");
    expect((await rotate("ca", "use")).stderr).toMatch(/^error: use of ca is not possible: there is no new one/);
    expect((await rotate("ca", "trust")).code).toBe(0);
    const [first, added] = blocks("m1/orch/ca.crt");
    expect([first, typeof added, read("m1/orch/apiserver.crt")]).toEqual([old, "string", leaf]);
    expect((await rotate("ca", "trust")).stderr).toMatch(/the next step is use\n$/);
    expect((await rotate("ca", "finish")).stderr).toMatch(/the steps are trust, use, finish\n$/);
    expect((await rotate("ca", "use")).stdout).toMatch(
      /m1\/orch\/apiserver\.crt until \S+: it has another authority now/,
    );
    expect(blocks("m1/orch/ca.crt")).toEqual([added, old]);
    expect(blocks("ca.crt")).toEqual([added, old]);
    expect(new X509Certificate(read("m1/orch/apiserver.crt")).verify(new X509Certificate(`${added}`).publicKey)).toBe(
      true,
    );
    // The certificates of etcd have an authority of their own.
    expect(blocks("m1/etcd/ca.crt")).toHaveLength(1);
    expect((await rotate("ca", "finish")).code).toBe(0);
    expect(blocks("m1/orch/ca.crt")).toEqual([added]);
    expect(existsSync(at(orch, "pki/authority/ca-former.key"))).toBe(false);
    const keys = () => blocks("m1/orch/service-account.pub");
    const [oldKey] = keys();
    for (const step of ["trust", "use"]) expect((await rotate("service-account", step)).code).toBe(0);
    expect(keys()[1]).toBe(oldKey);
    expect((await rotate("service-account", "finish")).code).toBe(0);
    expect(keys()).not.toContain(oldKey);
  });

  test("shown without a path are those of the server, of the client and of the authority", async () => {
    const orch = orchOf("orch");
    const names = (JSON.parse(await orch.print(["cert", "show", "-o", "json"])) as { name: string }[]).map(
      (each) => each.name,
    );
    expect(names).toEqual(expect.arrayContaining(["serving", "authority"]));
  });
});

describe("backups", () => {
  const ofEtcd = () => `--endpoints=${etcd.endpoints}`;

  test("are taken of an embedded store, checked and restored, and never over another file", async () => {
    const orch = orchOf("orch");
    const maps = "/api/v1/namespaces/default/configmaps";
    await serverOf("orch").admin.post(maps, { metadata: { name: "kept" }, data: { text: "hello" } });
    expect(await orch.print(["backup", "a.backup"])).toMatch(
      /^a\.backup: \d+ keys at revision \d+, \S+ KiB, all records ok\n$/,
    );
    expect((await orch.run(["backup", "a.backup"])).stderr).toMatch(/^error: a\.backup exists: name another file/);
    expect(await orch.print(["backup", "--force", "a.backup"])).toContain("all records ok");
    const whole = readFileSync(at(orch, "a.backup"));
    writeFileSync(at(orch, "cut.backup"), whole.subarray(0, whole.length - 40));
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(1000) ^ 1, 1000);
    writeFileSync(at(orch, "damaged.backup"), damaged);
    for (const words of [
      ["backup", "--check"],
      ["restore", "--data-dir=r"],
    ]) {
      for (const [file, text] of [
        ["cut.backup", /truncated|not a complete backup/],
        ["damaged.backup", /damaged/],
        ["none", /does not exist/],
      ] as const) {
        const { stderr, stdout, code } = await orch.run([...words, file]);
        expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(text), 1]);
      }
    }
    expect(readdirSync(at(orch, "r"))).toEqual([]);
    expect(await orch.print(["restore", "a.backup", "--data-dir=r"])).toMatch(/^Restored \d+ keys at revision \d+/);
    expect((await orch.run(["restore", "a.backup", "--data-dir=r"])).stderr).toMatch(/^error: r\/store exists/);
    const home = new Orch({ home: orch.of.home });
    const port = await freePort();
    try {
      await home.print(["up", "-d", "--data-dir=r", `--port=${port}`]);
      const { stdout } = await home.run(["store", "status", "-o", "json"]);
      expect(JSON.parse(stdout)).toMatchObject({ sizes: [{ endpoint: "embedded" }], unreadable: 0 });
      expect(JSON.parse(stdout).objects).toBeGreaterThan(100);
    } finally {
      await home.run(["down", "--data-dir=r"]);
    }
  });

  test("killed at any moment leave no file and no store that is taken for whole", async () => {
    const orch = orchOf("orch");
    const data = { text: "x".repeat(400_000) };
    const maps = "/api/v1/namespaces/default/configmaps";
    for (let at = 0; at < 20; at += 1)
      await serverOf("orch").admin.post(maps, { metadata: { name: `large-${at}` }, data });
    const killed = async (words: readonly string[], afterMs: number) => {
      const child = orch.start(words);
      const end = new Promise((resolve) => child.once("close", resolve));
      await sleep(afterMs);
      child.kill("SIGKILL");
      await end;
    };
    await orch.print(["backup", "whole.backup"]);
    for (let afterMs = 60; afterMs < 260; afterMs += 50) {
      await killed(["backup", `${afterMs}.backup`], afterMs);
      if (existsSync(at(orch, `${afterMs}.backup`))) await orch.print(["backup", "--check", `${afterMs}.backup`]);
      const folder = `r-${afterMs}`;
      await killed(["restore", "whole.backup", `--data-dir=${folder}`], afterMs);
      if (existsSync(at(orch, `${folder}/store`))) {
        const alone = new Orch({ home: orch.of.home });
        expect(await alone.print(["apiserver", "recover", `--data-dir=${folder}`])).toContain("The store is intact");
      } else {
        await orch.print(["restore", "whole.backup", `--data-dir=${folder}`]);
        expect(readdirSync(at(orch, folder))).toEqual(["store"]);
      }
    }
  });

  test("are snapshots of etcd whose checksum is checked", async () => {
    const orch = orchOf("kubernetes");
    // The server tells where its etcd is.
    expect(await orch.print(["backup", "x"])).toMatch(/^x: snapshot of etcd, \S+ \S+, checksum ok\n$/);
    expect(await orch.print(["schedule", "kept", "--once"])).toMatch(/^kept\/etcd-\S+\.snapshot: snapshot of etcd/);
    mkdirSync(at(orch, "folder"));
    expect(await orch.print(["backup", ofEtcd(), "folder"])).toMatch(
      /^folder\/etcd-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.snapshot: snapshot of etcd, \S+ \S+, checksum ok\n$/,
    );
    const [name = ""] = readdirSync(at(orch, "folder"));
    const file = at(orch, `folder/${name}`);
    expect((await orch.run(["restore", file, "--data-dir=r"])).stderr).toMatch(/etcdutl snapshot restore/);
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -32));
    expect((await orch.run(["backup", "--check", file])).stderr).toMatch(/is not a complete snapshot/);
    whole.writeUInt8(whole.readUInt8(5000) ^ 1, 5000);
    writeFileSync(file, whole);
    expect((await orch.run(["backup", "--check", file])).stderr).toMatch(/is damaged: its checksum/);
  });

  test("are repeated by a schedule, survive failures and replace old ones", async () => {
    const orch = orchOf("orch");
    const child = orch.start(["schedule", "kept", "--every=1s", "--keep=2"]);
    const end = new Promise((resolve) => child.once("close", resolve));
    const texts: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => texts.push(text));
    await eventually("an old backup is removed", async () => texts.join("").includes(": removed"));
    child.kill("SIGTERM");
    expect(await end).toBe(0);
    expect(readdirSync(at(orch, "kept")).filter((name) => name.endsWith(".backup"))).toHaveLength(2);
    const away = new Orch({ home: orch.of.home, options: [`--server=https://127.0.0.1:${await freePort()}`] });
    const { stderr, code } = await away.run(["schedule", "kept", "--once"]);
    expect([stderr, code]).toEqual([expect.stringMatching(/was refused/), 1]);
    expect(readdirSync(at(orch, "kept"))).toHaveLength(2);
  });
});

describe("the store", () => {
  test("in etcd is shown with its members and alarms, and defragmented", async () => {
    const orch = orchOf("kubernetes");
    const options = [`--endpoints=${etcd.endpoints}`];
    expect(await orch.print(["store", "status"])).toMatch(/^http:\/\/127\.0\.0\.1:\d+ .* leader /m);
    expect(await orch.print(["store", "members"])).toMatch(/^[0-9a-f]+ +etcd-1 /m);
    expect(await orch.print(["store", "alarms"])).toBe("No alarms.\n");
    expect(await orch.print(["store", "status", ...options])).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ +[0-9a-f]+ +3\.\S+ +\S+ .iB +\S+ .iB +leader +\d+ +\d+ +\d+ +-$/m,
    );
    expect(await orch.print(["store", "members", ...options])).toMatch(
      /^[0-9a-f]+ +etcd-1 +http:\S+ +http:\S+ +voter$/m,
    );
    expect(await orch.print(["store", "defrag", ...options])).toMatch(/^http:\S+: \S+ .iB, now \S+ .iB\n$/);
    expect(await orch.print(["store", "alarms", ...options])).toBe("No alarms.\n");
    const { stdout, stderr, code } = await orch.run(["store", "status", `--endpoints=127.0.0.1:${await freePort()}`]);
    expect(stdout).toMatch(/does not answer$/m);
    expect([stderr, code]).toEqual([expect.stringMatching(/^error: etcd at http:\S+: .*ECONNREFUSED/), 1]);
  });

  test("is found in the file of the server's flags while no server answers", async () => {
    const away = new Orch({
      home: workplace.folder(),
      options: [`--server=https://127.0.0.1:${await freePort()}`],
    });
    writeFileSync(at(away, "orch.yaml"), `data-dir: /var/lib/orch\netcd-servers: [${etcd.endpoints}]\n`);
    expect(await away.print(["store", "status", "--config=orch.yaml"])).toMatch(/^http:\S+ .* leader /m);
    expect(await away.print(["backup", "x", "--config=orch.yaml"])).toContain("snapshot of etcd");
    writeFileSync(at(away, "tls.yaml"), "etcd-servers: https://127.0.0.1:1\netcd-certfile: /none/etcd.crt\n");
    for (const [file, text] of [
      [
        "tls.yaml",
        /^error: the --etcd-certfile of the server cannot be read here: \S+: no such file or directory: name a file with --cert\n$/,
      ],
      ["none.yaml", /^error: --config: none\.yaml: no such file or directory\n$/],
    ] as const) {
      const { stderr, code } = await away.run(["store", "members", `--config=${file}`]);
      expect([stderr, code]).toEqual([expect.stringMatching(text), 1]);
    }
  });

  test("is asked for when the server does not tell where it is", async () => {
    // Another server of the API has neither backups nor, unless it is told to, a page with its flags.
    const size = 'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096\n';
    const pages = new Map([
      ["/version", JSON.stringify({ gitVersion: "v1.36.0" })],
      ["/api", JSON.stringify({ kind: "APIVersions", versions: [] })],
      ["/apis", JSON.stringify({ kind: "APIGroupList", groups: [] })],
      ["/metrics", size],
    ]);
    const other = createServer(({ url = "" }, response) => {
      const page = pages.get(url);
      response.writeHead(page === undefined ? 404 : 200).end(page ?? "404 page not found\n");
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    other.unref();
    const { port } = other.address() as AddressInfo;
    const orch = new Orch({ home: workplace.folder(), options: [`--server=http://127.0.0.1:${port}`] });
    for (const words of [
      ["store", "members"],
      ["backup", "x"],
    ]) {
      const { stderr, code } = await orch.run(words);
      expect([stderr, code]).toEqual([
        expect.stringMatching(/^error: the server does not tell where its etcd is: name it with [^\n]+\n$/),
        1,
      ]);
    }
    pages.set("/flagz", `\nkube-apiserver flagz\nWarning: not for programs\n\netcd-servers=[${etcd.endpoints}]\n`);
    expect(await orch.print(["store", "members"])).toMatch(/^[0-9a-f]+ +etcd-1 /m);
  });

  test("has neither members nor alarms", async () => {
    const orch = orchOf("orch");
    expect(await orch.print(["store", "status"])).toMatch(
      /^STORE +SIZE +OBJECTS +UNREADABLE\nembedded +\S+ .iB +\d+ +0\n$/,
    );
    for (const words of ["members", "defrag", "alarms"]) {
      expect(await orch.print(["store", words])).toMatch(/^The embedded store /);
    }
  });
});
