// docs/high-availability.md, "Three machines from nothing" and "Operations with three machines", word by word: three
// machines and an administrator's, each with a network, a file system and processes of its own, under constant load
// through the virtual address. The scenarios follow each other on the same machines.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pageAt } from "../harness/documents";
import { eventually, sleep } from "../harness/eventually";
import { Lab, labObstacle, Machine } from "../harness/lab/lab";
import { Load, type Observed } from "../harness/lab/load";
import { MachineBlocks } from "../harness/lab/machine-blocks";
import { repository, useWorkplace } from "../harness/processes";

const workplace = useWorkplace();
const TEST = "test-e2e/deploy/high-availability.test.ts";
const SCENARIO_TIMEOUT_MS = 600_000;
const VIRTUAL_ADDRESS = "192.0.2.10";
/** Time in which a cut or lost machine is replaced by the others; the product needs a few seconds on an idle machine. */
const FAILOVER_TIMEOUT_MS = 60_000;
/** Time of a failure, for its effects to show. */
const FAILURE_MS = 25_000;
/** Built trees of the repository: the program on the machines, and the one that takes over for a while. */
const CURRENT = process.env["CURRENT_TREE"] ?? repository;
const FORMER = process.env["FORMER_TREE"] ?? CURRENT;
const obstacle = labObstacle();

/** Headings of the blocks that make a machine, in order. */
const PROGRAM_SECTIONS = ["etcd", "API servers", "Load balancer", "Controllers"] as const;

interface Row {
  readonly scenario: string;
  readonly observed: Observed;
  readonly lost: number;
}

if (obstacle !== undefined) {
  process.stderr.write(`skipped: three machines: ${obstacle}\n`);
  test("three machines are skipped for a reason", () => expect(obstacle).not.toBe(""));
} else describe("three machines", threeMachines);

function threeMachines(): void {
  const lab = new Lab(workplace, CURRENT);
  const machines = ["m1", "m2", "m3"].map((name, at) => new Machine(lab, name, `192.0.2.1${at + 1}`));
  const [m1, , m3] = machines as [Machine, Machine, Machine];
  const operator = new Machine(lab, "operator", "192.0.2.20");
  const client = new Machine(lab, "client", "192.0.2.30");
  const blocks = new MachineBlocks(pageAt("docs/high-availability.md"), TEST, { machines, operator });
  const rows: Row[] = [];
  let load: Load | undefined;

  beforeAll(async () => {
    await lab.start();
    await Promise.all([...machines, operator, client].map((machine) => machine.start()));
  }, SCENARIO_TIMEOUT_MS);

  afterAll(() => {
    load?.stop();
    console.log(tableOf(rows));
  });

  function record(row: Row): void {
    rows.push(row);
    writeFileSync(join(lab.folder, "scenarios.json"), JSON.stringify(rows, null, 1));
  }

  /** Runs a scenario under load. Every acknowledged write must be found, and have been seen by the watchers. */
  async function observe(scenario: string, act: () => Promise<void>): Promise<Observed> {
    if (load === undefined) throw new Error("the load has not been started");
    await load.begin();
    try {
      await act();
      await sleep(3000);
    } catch (error) {
      const observed = await load.end();
      record({ scenario: `${scenario} (failed)`, observed, lost: -1 });
      throw error;
    }
    const observed = await load.end();
    const { lost, unseen, disorder } = await load.check();
    record({ scenario, observed, lost: lost.length });
    expect({ lost, unseen, disorder, staleReads: observed.staleReads }).toEqual({
      ...{ lost: [], unseen: [], disorder: [], staleReads: 0 },
    });
    return observed;
  }

  const scenario = (title: string, act: () => Promise<void>) => test(title, act, SCENARIO_TIMEOUT_MS);
  const others = (machine: Machine) => machines.filter((each) => each !== machine);

  async function giveClientItsFiles(): Promise<void> {
    const [ca, cert, key] = ["ca.crt", "admin.crt", "admin.key"].map((name) => {
      const text = operator.inside(["sh", "-c", `cat ~/pki/${name}`]);
      lab.write(name, text);
      return text;
    });
    lab.write("credentials.json", JSON.stringify({ ca, cert, key }));
  }

  function startLoad(): void {
    load = Load.start(client, `https://${VIRTUAL_ADDRESS}:8443`, "/lab/credentials.json");
  }

  /** Returns the machine that has the virtual address. */
  function holder(): Machine | undefined {
    return machines.find(
      (machine) =>
        machine.isRunning && machine.inside(["ip", "-oneline", "address", "show"]).includes(`${VIRTUAL_ADDRESS}/`),
    );
  }

  const leadingController = async (): Promise<Machine | undefined> => {
    const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
    const { code, output } = await asAdmin(lease);
    if (code !== 0) return undefined;
    const identity = (JSON.parse(output) as { spec: { holderIdentity?: string } }).spec.holderIdentity ?? "";
    return machines.find(({ name }) => identity.startsWith(`${name}_`));
  };

  const etcdLeader = async (): Promise<Machine> => {
    const { output } = await m1.run(". ~/cluster.env; etcdctl endpoint status --write-out=json 2>/dev/null || true");
    const all = JSON.parse(output) as { Endpoint: string; Status: { leader: number; header: { member_id: number } } }[];
    const url = all.find(({ Status: { leader, header } }) => leader === header.member_id)?.Endpoint ?? "";
    return machines.find(({ address }) => url.includes(address)) ?? m1;
  };

  /** Sends a request as the administrator, from the administrator's machine through the virtual address. */
  const asAdmin = (path: string, options = "") =>
    operator.run(
      `cd ~/pki; curl -fsS --max-time 10 --cacert ca.crt --cert admin.crt --key admin.key ${options} 'https://${VIRTUAL_ADDRESS}:8443${path}'`,
    );

  /** Sends a request to the API server of one machine, from the machine itself. */
  const atServer = async (machine: Machine, path: string, options = "") => {
    const { output } = await machine.run(
      `cd /lab; curl -sS --max-time 8 --cacert ca.crt --cert admin.crt --key admin.key --write-out '%{http_code}' ${options} 'https://${machine.address}:6443${path}' || true`,
    );
    return { code: Number(/(\d{3})\D*$/.exec(output)?.[1] ?? 0), output };
  };

  /** The controllers work: a new namespace receives its service account. */
  const controllersWork = async (name: string): Promise<void> => {
    const body = `-H 'content-type: application/json' -d '{"metadata":{"name":"${name}"}}'`;
    await eventually(
      `the namespace ${name} is created`,
      async () => {
        await asAdmin("/api/v1/namespaces", body);
        return (await asAdmin(`/api/v1/namespaces/${name}`)).code === 0;
      },
      { timeoutMs: FAILOVER_TIMEOUT_MS },
    );
    await eventually(
      `the controllers make the service account of ${name}`,
      async () => (await asAdmin(`/api/v1/namespaces/${name}/serviceaccounts/default`)).code === 0,
      { timeoutMs: FAILOVER_TIMEOUT_MS },
    );
  };

  const allReady = () =>
    eventually(
      "all API servers are ready",
      async () =>
        (await Promise.all(machines.map((each) => atServer(each, "/readyz")))).every(({ code }) => code === 200),
      { timeoutMs: 90_000 },
    );

  scenario("are set up by the page", async () => {
    await blocks.section("Three machines from nothing");
    await blocks.section("Certificates");
    for (const heading of PROGRAM_SECTIONS) await blocks.section(heading);
    await blocks.section("First use");
    await giveClientItsFiles();
    startLoad();
    await sleep(3000);
    await observe("nothing happens", () => sleep(10_000));
  });

  scenario(
    "continue when one is cut off from the others, which refuses writes and reads of the newest state",
    async () => {
      const cut = holder() ?? m1;
      await observe(`${cut.name}, with the virtual address, is cut off from the others`, async () => {
        lab.part([cut], [...others(cut), operator]);
        await eventually("another machine has the virtual address", async () => others(cut).includes(holder() ?? cut), {
          timeoutMs: FAILOVER_TIMEOUT_MS,
        });
        await sleep(5000);
        const maps = "/api/v1/namespaces/default/configmaps";
        const body = `-H 'content-type: application/json' -d '{"metadata":{"name":"of-the-minority"}}'`;
        expect((await atServer(cut, maps, body)).code).toBeGreaterThanOrEqual(500);
        expect((await atServer(cut, `${maps}/writer-0`)).code).toBeGreaterThanOrEqual(500);
        expect((await atServer(cut, `${maps}?limit=5`)).code).toBeGreaterThanOrEqual(500);
        expect((await atServer(cut, `${maps}/writer-0?resourceVersion=0`)).code).toBe(200);
        lab.heal();
        await allReady();
        expect((await asAdmin(`${maps}/of-the-minority`)).code).not.toBe(0);
      });
    },
  );

  scenario("have another leader of the controllers when the leader's machine is cut off from everything", async () => {
    const cut = (await leadingController()) ?? m1;
    await observe(`${cut.name}, with the leading controller manager, is cut off from everything`, async () => {
      lab.part([cut], [...others(cut), operator, client]);
      await eventually(
        "another controller manager leads",
        async () => {
          const leader = await leadingController();
          return leader !== undefined && leader !== cut;
        },
        { timeoutMs: FAILOVER_TIMEOUT_MS },
      );
      await controllersWork("while-cut");
      lab.heal();
      await allReady();
    });
    await controllersWork("after-cut");
  });

  scenario("continue when the leader of etcd hears the others, which do not hear it", async () => {
    const deaf = await etcdLeader();
    await observe(`${deaf.name}, with the leader of etcd, is not heard by the others`, async () => {
      lab.block([deaf], others(deaf));
      await sleep(FAILURE_MS);
      lab.heal();
      await allReady();
    });
  });

  scenario("continue without one, which a new empty one replaces", async () => {
    const lost = m3;
    await observe("m3 is lost", async () => {
      await lost.lose();
      await sleep(FAILURE_MS);
      await controllersWork("while-lost");
    });
    await observe("m3 is replaced", async () => {
      await lost.start();
      await blocks.section("Three machines from nothing", { only: [lost] });
      await blocks.section("Replace a machine");
      const env = { ETCD_STATE: "existing" };
      for (const heading of PROGRAM_SECTIONS) await blocks.section(heading, { only: [lost], env });
      await allReady();
    });
  });

  scenario("continue when a member of etcd is replaced", async () => {
    await observe("the member of etcd on m2 is replaced", async () => {
      await blocks.section("Replace a member of etcd");
      await allReady();
    });
  });

  scenario("use renewed certificates without a restart", async () => {
    const observed = await observe("all certificates are renewed", async () => {
      const before = servedSerials();
      await blocks.section("Renew certificates");
      await eventually(
        "the new certificates are served",
        async () => servedSerials().every((serial, at) => serial !== before[at]),
        { timeoutMs: 60_000 },
      );
      await giveClientItsFiles();
    });
    expect(refusals(observed)).toEqual([]);
  });

  /** Serial numbers of the certificates that API servers and members of etcd serve. */
  function servedSerials(): readonly string[] {
    return machines.flatMap(({ address }) =>
      [6443, 2379, 10257].map((port) =>
        operator.inside([
          "bash",
          "-c",
          `openssl s_client -connect ${address}:${port} </dev/null 2>/dev/null | openssl x509 -noout -serial`,
        ]),
      ),
    );
  }

  scenario("use new authorities", async () => {
    const [trust, restart, use, finish] = blocks.under("Replace the authorities");
    if (trust === undefined || restart === undefined || use === undefined || finish === undefined)
      throw new Error("the section has four blocks");
    await observe("the authorities are replaced", async () => {
      await blocks.block(trust);
      await blocks.block(restart);
      await giveClientItsFiles();
      await sleep(8000);
      await blocks.block(use);
      await giveClientItsFiles();
      await sleep(8000);
      await blocks.block(finish);
      await blocks.block(restart);
      await allReady();
    });
    await controllersWork("with-new-authorities");
  });

  scenario("use a new key of service account tokens, and a new encryption key", async () => {
    const observed = await observe("the keys of tokens and of encryption are replaced", async () => {
      await blocks.section("Replace the key of service account tokens");
      await blocks.section("Replace the encryption key");
      await allReady();
    });
    expect(refusals(observed)).toEqual([]);
    await controllersWork("with-new-keys");
  });

  scenario("are upgraded, and taken back, one after the other", async () => {
    const [servers, managers] = blocks.under("Upgrade, and the way back");
    if (servers === undefined || managers === undefined) throw new Error("the section has two blocks");
    const replaceBy = async (tree: string, release: string) => {
      for (const machine of machines) {
        machine.install(tree);
        machine.inside([
          "sed",
          "-i",
          `s/^emulated-release: .*/emulated-release: "${release}"/`,
          "/etc/orch/apiserver.yaml",
        ]);
        await blocks.block(servers, { only: [machine] });
      }
      await blocks.block(managers);
    };
    if (!existsSync(join(FORMER, "packages/cli/bin/orch.js"))) throw new Error(`${FORMER} is no built tree`);
    const back = await observe("the former version takes over, one machine after the other", () =>
      replaceBy(FORMER, "1.35"),
    );
    await controllersWork("before-the-upgrade");
    const forth = await observe("the new version takes over, one machine after the other", () =>
      replaceBy(CURRENT, "1.36"),
    );
    expect([...refusals(back), ...refusals(forth)]).toEqual([]);
    await controllersWork("after-the-upgrade");
  });

  scenario("are restored from a backup after the loss of all", async () => {
    load?.stop();
    const listed = async () => {
      const output = await eventually(
        "the config maps are listed",
        async () => {
          const { code, output } = await asAdmin("/api/v1/namespaces/default/configmaps", "--max-time 60");
          return code === 0 ? output : undefined;
        },
        { timeoutMs: FAILOVER_TIMEOUT_MS },
      );
      const { items } = JSON.parse(output) as {
        items: { metadata: { name: string; uid: string; resourceVersion: string } }[];
      };
      return items.map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`).sort();
    };
    const before = await listed();
    expect(before.length).toBeGreaterThan(10);
    await blocks.section("Backup");
    await Promise.all(machines.map((machine) => machine.lose()));
    await Promise.all(machines.map((machine) => machine.start()));
    await blocks.section("Three machines from nothing", { only: machines });
    await blocks.section("Restore after the loss of all machines");
    for (const heading of PROGRAM_SECTIONS) await blocks.section(heading);
    expect(await listed()).toEqual(before);
    startLoad();
    await sleep(3000);
    await observe("after the restore", () => sleep(10_000));
    await controllersWork("after-the-restore");
  });
}

/** Answers that refuse a request. Others are late or lost, which happens on a busy machine. */
const refusals = ({ reasons }: Observed): readonly string[] =>
  Object.keys(reasons).filter((reason) => /^\w+: \d{3} /.test(reason));

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ scenario, observed: { requests, failures, writeGapMs, readGapMs, seconds, resumed, listed, reasons }, lost }) =>
      [
        ...[
          scenario,
          `${Math.round(seconds)} s`,
          requests,
          failures,
          (writeGapMs / 1000).toFixed(1),
          (readGapMs / 1000).toFixed(1),
        ],
        ...[lost, resumed, listed, JSON.stringify(reasons)],
      ].join(" | "),
  );
  const head =
    "scenario | time | requests | failed | longest time without a write, s | without a read, s | lost | watches resumed | listed again | reasons";
  return [head, ...lines].join("\n");
}
