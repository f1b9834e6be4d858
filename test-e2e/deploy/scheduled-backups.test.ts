// Backups that API servers take by themselves, into a folder and a bucket of a local S3 server: their times, their content,
// what is removed, and servers whose bucket fails in any way.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { S3Target } from "@orch/backup";
import { type LocalS3, startS3 } from "@orch/testing";
import { type ApiServer, startApiServer } from "../harness/api-server";
import { expectStatus } from "../harness/config-maps";
import { Authority } from "../harness/credentials";
import { sealing } from "../harness/encryption-configuration";
import { startEtcd } from "../harness/etcd";
import { eventually } from "../harness/eventually";
import { freePort } from "../harness/free-port";
import { LoopWatch } from "../harness/hostile/loop-delay";
import { Orch } from "../harness/orch";
import { useWorkplace } from "../harness/processes";

const workplace = useWorkplace();
const MAPS = "/api/v1/namespaces/default/configmaps";
const closing: (() => unknown)[] = [];
let s3: LocalS3;

beforeAll(async () => {
  s3 = await startS3(workplace.folder());
});
afterAll(async () => {
  for (const close of closing) await close();
  await s3.close();
});

/** Flags of a bucket, and the options of commands for the same. */
const bucketFlags = (prefix: string, of: Partial<LocalS3> = {}): string[] => [
  `--backup-s3-bucket=${of.bucket ?? s3.bucket}`,
  `--backup-s3-prefix=${prefix}`,
  `--backup-s3-endpoint=${of.endpoint ?? s3.endpoint}`,
  `--backup-s3-credentials-file=${of.credentialsFile ?? s3.credentialsFile}`,
  "--backup-s3-path-style",
];
const bucketOptions = (): string[] => [
  `--s3-endpoint=${s3.endpoint}`,
  `--s3-credentials-file=${s3.credentialsFile}`,
  "--s3-path-style",
];

async function figures(server: ApiServer): Promise<Readonly<Record<string, number>>> {
  const { body } = await server.admin.get("/metrics");
  return Object.fromEntries(
    body
      .split("\n")
      .filter((line) => line.startsWith("apiserver_backup_"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const SUCCESS = 'apiserver_backup_total{result="success"}';
const FAILURE = 'apiserver_backup_total{result="failure"}';

const backupsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.includes(".partial-")) : [];

describe("a server with an embedded store", () => {
  const prefix = "embedded";
  let server: ApiServer;
  let folder: string;
  let orch: Orch;

  beforeAll(async () => {
    folder = join(workplace.folder(), "deep", "backups");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "notes.txt"), "of another program");
    server = await startApiServer(workplace, {
      name: "embedded",
      store: { kind: "embedded" },
      flags: [
        "--backup-schedule=1s",
        `--backup-dir=${folder}`,
        "--backup-retention=2",
        "--emulated-release=1.36",
        "--feature-gates=ComponentFlagz=true",
        ...bucketFlags(prefix),
      ],
    });
    orch = new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) });
    await server.admin.post(MAPS, { metadata: { name: "kept" }, data: { text: "hello" } });
  }, 60_000);

  test("takes backups into the folder and the bucket, and keeps as many as it should", async () => {
    const before = (await figures(server))[SUCCESS] ?? 0;
    await eventually("four more backups", async () => ((await figures(server))[SUCCESS] ?? 0) >= before + 4);
    const names = backupsIn(folder);
    expect(names).toContain("notes.txt");
    expect(names.length).toBeLessThanOrEqual(4);
    const { endpoint, bucket, credentialsFile } = s3;
    const target = new S3Target({ endpoint, bucket, credentialsFile, prefix: `${prefix}/`, isPathStyle: true });
    const stored = await target.names(new AbortController().signal);
    target.close();
    expect(stored.length).toBeGreaterThanOrEqual(2);
    expect(stored.length).toBeLessThanOrEqual(3);
    const found = await figures(server);
    expect(found).toMatchObject({
      apiserver_backup_last_attempt_failed: 0,
      apiserver_backup_last_success_timestamp_seconds: expect.any(Number),
    });
    expect(found["apiserver_backup_size_bytes"]).toBeGreaterThan(10_000);
    expect(found[FAILURE]).toBeUndefined();
  });

  test("shows the last backup in orch status", async () => {
    expect(await orch.print(["status"])).toMatch(/^Backup: +\d{4}-\S+Z \(\d+s ago\), \S+ \SiB$/m);
  });

  test("is restored from the bucket with all its objects", async () => {
    const text = async (of: ApiServer) => (await of.admin.get(`${MAPS}/kept`)).object();
    const before = await text(server);
    const home = new Orch({ home: workplace.folder() });
    const at = (await figures(server))[SUCCESS] ?? 0;
    await eventually("a backup after the object", async () => ((await figures(server))[SUCCESS] ?? 0) > at + 1);
    expect(await home.print(["restore", `s3://${s3.bucket}/${prefix}`, "--data-dir=r", ...bucketOptions()])).toMatch(
      /^Restored \d+ keys at revision \d+/,
    );
    const dataDir = join(home.of.home, "r");
    expect(readdirSync(dataDir)).toEqual(["store"]);
    const restored = await startApiServer(workplace, { name: "restored", store: { kind: "embedded" }, dataDir });
    const after = await text(restored);
    expect([after["data"], after.metadata?.uid]).toEqual([before["data"], before.metadata?.uid]);
    await restored.stop();
  });

  test("shows no credentials in its flags and its log", async () => {
    const { body } = await server.admin.get("/flagz", { headers: { accept: "text/plain" } });
    expect(body).toContain("backup-s3-bucket");
    for (const shown of [body, server.program.logTail]) expect(shown).not.toContain("S3RVER");
  });
});

describe("a server that is killed while it writes a backup", () => {
  const KILLS = 2;
  /** The lock of a replica that has died ends after 15 seconds. */
  const timeoutMs = 45_000;

  test("leaves whole backups alone, and removes what it had begun", async () => {
    const folder = join(workplace.folder(), "killed");
    const server = await startApiServer(workplace, {
      name: "killed",
      store: { kind: "embedded" },
      flags: ["--backup-schedule=1s", `--backup-dir=${folder}`, "--backup-retention=3"],
    });
    const text = randomBytes(600_000).toString("base64");
    for (let at = 0; at < 40; at += 1)
      await expectStatus(201, server.admin.post(MAPS, { metadata: { name: `large-${at}` }, data: { text } }));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await eventually("a backup is being written", async () => partialIn(folder).length > 0, { pauseMs: 1 });
      await server.kill();
      const [left] = partialIn(folder);
      await expectWhole(folder);
      server.launch();
      await server.untilReady();
      const isRemoved = async () => left === undefined || !partialIn(folder).includes(left);
      await eventually("what was left is removed", isRemoved, { timeoutMs });
      const before = backupsIn(folder).at(-1) ?? "";
      await eventually("a backup is taken again", async () => (backupsIn(folder).at(-1) ?? "") > before, { timeoutMs });
    }
    await server.stop();
    await expectWhole(folder);
  }, 180_000);

  const partialIn = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.includes(".partial-")) : [];

  async function expectWhole(folder: string): Promise<void> {
    const orch = new Orch({ home: workplace.folder() });
    for (const name of backupsIn(folder))
      expect(await orch.print(["backup", "--check", join(folder, name)])).toMatch(/all records ok\n$/);
  }
});

/** Serves the bucket over TLS, with a certificate of an authority that no system trusts. */
async function overTls(): Promise<{ readonly endpoint: string; readonly caFile: string }> {
  const { ca, cert, key } = new Authority(workplace).issue("bucket");
  const front = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (asked, answer) => {
    const { method, url = "", headers } = asked;
    const passed = httpRequest(new URL(url, s3.endpoint), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(front, "listening");
  closing.push(() => {
    front.closeAllConnections();
    front.close();
  });
  return { endpoint: `https://127.0.0.1:${(front.address() as AddressInfo).port}`, caFile: ca };
}

describe("a bucket whose certificate is of an authority of its own", () => {
  test("is used by servers and commands that are given the authority, and by no others", async () => {
    const { endpoint, caFile } = await overTls();
    const start = (name: string, flags: readonly string[]) =>
      startApiServer(workplace, {
        name,
        store: { kind: "memory" },
        flags: ["--backup-schedule=1s", ...bucketFlags("sealed", { endpoint }), ...flags],
      });
    const stranger = await start("stranger", []);
    const isTold = async () => stranger.program.logTail.includes("cannot take a backup");
    await eventually("the failure is told", isTold, { timeoutMs: 30_000 });
    expect(stranger.program.logTail).toMatch(/certificate/);
    expect((await figures(stranger))[SUCCESS]).toBeUndefined();
    await stranger.stop();
    const server = await start("trusting", [`--backup-s3-ca-file=${caFile}`]);
    await eventually("two backups", async () => ((await figures(server))[SUCCESS] ?? 0) >= 2, { timeoutMs: 30_000 });
    await server.stop();
    const orch = new Orch({ home: workplace.folder() });
    const words = ["restore", `s3://${s3.bucket}/sealed`, "--download=x.backup"];
    const options = [...bucketOptions(), `--s3-endpoint=${endpoint}`];
    expect(await orch.print([...words, ...options, `--s3-ca-file=${caFile}`])).toMatch(/all records ok\n$/);
    const { code, stderr } = await orch.run([...words, ...options]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/certificate/)]);
  }, 90_000);
});

describe("commands", () => {
  test("take, check, list and restore backups of a bucket", async () => {
    const server = await startApiServer(workplace, { name: "commands", store: { kind: "memory" } });
    const orch = new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) });
    const place = `s3://${s3.bucket}/by-command`;
    const taken = await orch.print(["backup", "--to", place, ...bucketOptions()]);
    const [url = ""] = taken.split(": ");
    expect(taken).toMatch(
      /^s3:\/\/backups\/by-command\/orch-\S+Z\.backup: \d+ keys at revision \d+, \S+ KiB, all records ok\n$/,
    );
    expect(await orch.print(["backup", "--check", url, ...bucketOptions()])).toBe(taken);
    expect(await orch.print(["restore", url, "--download=x.backup", ...bucketOptions()])).toMatch(/all records ok\n$/);
    expect(await orch.print(["backup", "--check", "x.backup"])).toMatch(/all records ok\n$/);
    expect(await orch.print(["schedule", place, "--once", "--keep=1", ...bucketOptions()])).toContain(
      `${url}: removed`,
    );
    for (const [words, text] of [
      [["backup", "s3://missing/x"], /^error: cannot write s3:\/\/missing\/x\/\S+: NoSuchBucket/],
      [["restore", `s3://${s3.bucket}/empty`, "--data-dir=r"], /^error: s3:\/\/backups\/empty\/ contains no backup\n$/],
      [["backup", "s3://A/../x"], /^error: "s3:\/\/A\/\.\.\/x": "A" is not a name of a bucket/],
      [["backup", "a", "--to", "b"], /^error: name the target once/],
      [["backup"], /^error: name the target/],
    ] as const) {
      const { stdout, stderr, code } = await orch.run([...words, ...bucketOptions()]);
      expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(text), 1]);
    }
    const wrong = [
      `--s3-endpoint=${s3.endpoint}`,
      `--s3-credentials-file=${s3.wrongCredentialsFile}`,
      "--s3-path-style",
    ];
    const { stderr } = await orch.run(["backup", place, ...wrong]);
    expect(stderr).toMatch(/^error: cannot write .*InvalidAccessKeyId/);
    expect(stderr).not.toMatch(/verysecret|OTHERID/);
    await server.stop();
  }, 60_000);
});

const SEALED = "a text that nobody may read";
const READABLE = "a text that everybody may read";

describe("two servers on one etcd", () => {
  test("take each backup once, encrypted as it is stored, and another one takes over", async () => {
    const etcd = await startEtcd(workplace);
    const folder = join(workplace.folder(), "shared");
    const flags = [
      ...["--backup-schedule=2s", `--backup-dir=${folder}`, "--backup-retention=100", ...bucketFlags("fleet")],
      `--encryption-provider-config=${sealing(workplace, "secrets")}`,
    ];
    const start = (name: string) =>
      startApiServer(workplace, { name, store: { kind: "etcd", endpoints: etcd.endpoints }, flags });
    const servers = await Promise.all([start("one"), start("two")]);
    const [{ admin }] = servers as [ApiServer, ApiServer];
    const secret = { metadata: { name: "kept" }, stringData: { text: SEALED } };
    await expectStatus(201, admin.post("/api/v1/namespaces/default/secrets", secret));
    await expectStatus(201, admin.post(MAPS, { metadata: { name: "kept" }, data: { text: READABLE } }));
    await eventually("five backups", async () => backupsIn(folder).length >= 5, { timeoutMs: 60_000 });
    const counts = await Promise.all(servers.map(async (each) => (await figures(each))[SUCCESS] ?? 0));
    const names = backupsIn(folder).sort();
    // One of them may end between the two looks.
    expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) - names.length)).toBeLessThanOrEqual(1);
    const times = names.map((name) => Date.parse(name.slice(5, 24).replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")));
    for (const [at, time] of times.slice(1).entries())
      expect(time - (times[at] as number)).toBeGreaterThanOrEqual(1000);
    const last = async (of: ApiServer) => (await figures(of))["apiserver_backup_last_success_timestamp_seconds"];
    expect(await last(servers[0] as ApiServer)).toBeGreaterThan(0);
    expect(await last(servers[1] as ApiServer)).toBeGreaterThan(0);
    // Whatever the killed server was doing, the other one goes on, at the latest when the lease has ended.
    await servers[0]?.kill();
    const before = backupsIn(folder).length;
    await eventually("the other one goes on", async () => backupsIn(folder).length >= before + 2, {
      timeoutMs: 60_000,
    });
    const orch = new Orch({ home: workplace.folder() });
    for (const name of backupsIn(folder).slice(-2))
      expect(await orch.print(["backup", "--check", join(folder, name)])).toMatch(/snapshot of etcd, .*checksum ok\n$/);
    const newest = readFileSync(join(folder, backupsIn(folder).sort().at(-1) as string), "latin1");
    const texts = [READABLE, SEALED, Buffer.from(SEALED).toString("base64")];
    expect(texts.map((text) => newest.includes(text))).toEqual([true, false, false]);
    await servers[1]?.stop();
    expect(readdirSync(folder).filter((name) => name.includes(".partial-"))).toEqual([]);
  }, 180_000);
});

describe("a server whose target fails", () => {
  /** Starts a service that answers every request in the same way. */
  async function service(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const targets: readonly [what: string, flags: () => Promise<string[]>, text: RegExp][] = [
    [
      "that refuses connections",
      async () => bucketFlags("x", { endpoint: `http://127.0.0.1:${await freePort()}` }),
      /ECONNREFUSED/,
    ],
    [
      "that refuses the credentials",
      async () => bucketFlags("x", { credentialsFile: s3.wrongCredentialsFile }),
      /InvalidAccessKeyId/,
    ],
    ["without the bucket", async () => bucketFlags("x", { bucket: "missing" }), /NoSuchBucket/],
    ["without the file of credentials", async () => bucketFlags("x", { credentialsFile: "/none" }), /ENOENT/],
    [
      "that answers with 3 MiB",
      async () =>
        bucketFlags("x", {
          endpoint: await service((_, response) => response.writeHead(500).end("<a>".repeat(1024 * 1024))),
        }),
      /more than 65536 bytes/,
    ],
    [
      "that answers with garbage",
      async () => bucketFlags("x", { endpoint: await service((_, response) => response.writeHead(200).end("}{")) }),
      /differs|not a backup|damaged|cannot/,
    ],
    [
      "that ends connections",
      async () => bucketFlags("x", { endpoint: await service((request) => request.socket.destroy()) }),
      /socket hang up|ECONNRESET/,
    ],
    ["that is no folder", async () => [`--backup-dir=${file()}`], /ENOTDIR|EEXIST|not a directory/],
    ["that may not be written", async () => ["--backup-dir=/proc/backups"], /ENOENT|EACCES|EPERM/],
  ];
  const file = (): string => {
    const path = join(workplace.folder(), "file");
    writeFileSync(path, "");
    return path;
  };

  test.each(targets)("%s tells it and goes on", async (what, flags, text) => {
    const loop = new LoopWatch(workplace);
    const server = await startApiServer(workplace, {
      name: what.replaceAll(" ", "-"),
      store: { kind: "memory" },
      flags: ["--backup-schedule=1s", ...(await flags())],
      env: loop.env,
    });
    await eventually("the failure is counted", async () => ((await figures(server))[FAILURE] ?? 0) >= 1, {
      timeoutMs: 30_000,
    });
    expect(await figures(server)).toMatchObject({ apiserver_backup_last_attempt_failed: 1 });
    expect((await figures(server))["apiserver_backup_last_success_timestamp_seconds"]).toBeUndefined();
    expect(server.program.logTail).toMatch(/cannot take a backup/);
    expect(server.program.logTail).toMatch(text);
    expect(server.program.logTail).not.toMatch(/verysecret|OTHERID/);
    expect(await server.ready()).toBe(true);
    expect(await server.stop()).toBe(0);
  });

  test("on a full disk leaves no file", async () => {
    const folder = join(workplace.folder(), "full");
    const server = await startApiServer(workplace, {
      name: "full",
      store: { kind: "memory" },
      flags: ["--backup-schedule=1s", `--backup-dir=${folder}`],
      limits: { fileKib: 64 },
    });
    await eventually("the failure is counted", async () => ((await figures(server))[FAILURE] ?? 0) >= 1);
    expect(server.program.logTail).toMatch(/cannot be written: EFBIG/);
    expect(readdirSync(folder)).toEqual([]);
    expect(await server.ready()).toBe(true);
    await server.stop();
  });
});
