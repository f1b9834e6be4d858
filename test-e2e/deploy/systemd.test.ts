// The units of deploy/systemd in a Debian system whose first process is systemd: docs/install.md, "Services of the operating
// system".
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { describeWhere } from "../harness/describe-where";
import { pageAt } from "../harness/documents";
import { eventually } from "../harness/eventually";
import { markOf } from "../harness/markdown";
import { repository, useWorkplace } from "../harness/processes";
import { BootedSystem, systemRoot } from "../harness/system/booted-system";
import { installProduct } from "../harness/system/installed-product";

const workplace = useWorkplace();
const SETUP_TIMEOUT_MS = 1_500_000;
const SCENARIO_TIMEOUT_MS = 300_000;
const WAIT = { timeoutMs: 120_000, pauseMs: 200 };

const CLUSTER = ["orch-etcd", "orch-apiserver", "orch-controller-manager", "orch-loadbalancer"];
const EXPOSURE_MAX = 1.5;

/** Commands of the documentation: those of one machine, and those of a cluster. */
const [ONE_MACHINE = "", WHOLE_CLUSTER = ""] = pageAt("docs/install.md")
  .blocks.filter((block) => markOf(block, "runBy")?.test === "test-e2e/deploy/systemd.test.ts")
  .map(({ text }) => text.replaceAll("sudo ", ""));

const admin = "--kubeconfig=/var/lib/orch/admin.kubeconfig";
const viaBalancer = [
  "curl --silent --show-error --fail --cacert /etc/orch/pki/ca.crt",
  "--cert /etc/orch/pki/admin.crt --key /etc/orch/pki/admin.key https://127.0.0.1:8443",
].join(" ");

describeWhere(systemRoot(), "systemd", ({ root }) => {
  let system: BootedSystem;
  const property = (unit: string, name: string) =>
    system.run(`systemctl show --value --property=${name} ${unit}`).trim();
  const journal = (unit: string) => system.run(`journalctl --no-pager --unit=${unit}`);

  async function untilActive(units: readonly string[]): Promise<void> {
    for (const unit of units)
      await eventually(`${unit} is active`, async () => property(unit, "ActiveState") === "active", WAIT).catch(
        (error: Error) => {
          throw new Error(`${error.message}\n${journal(unit)}`);
        },
      );
  }

  /** Kills the main process of a unit. */
  async function killed(unit: string): Promise<void> {
    const before = property(unit, "MainPID");
    system.run(`kill -9 ${before}`);
    await eventually(
      `${unit} has another process`,
      async () => !["0", before].includes(property(unit, "MainPID")) && property(unit, "ActiveState") === "active",
      WAIT,
    );
  }

  async function untilAnswered(command: string): Promise<string> {
    return await eventually(
      command,
      async () => {
        const { status, stdout } = system.try(command);
        return status === 0 && stdout;
      },
      WAIT,
    );
  }

  beforeAll(async () => {
    system = new BootedSystem(workplace, root);
    installProduct(system, workplace);
    await system.boot();
  }, SETUP_TIMEOUT_MS);

  test("every unit has an exposure of at most 1.5, and its row in the documentation has the figure", () => {
    const units = readdirSync(join(repository, "deploy/systemd")).map((file) => basename(file, ".service"));
    const rows = pageAt("docs/install.md");
    expect(rows.code).toEqual(expect.arrayContaining(units));
    const figures = units.map((unit) => {
      const said = system.run(`systemd-analyze security --no-pager ${unit}`);
      return [unit, Number(/Overall exposure level for .*: ([\d.]+)/.exec(said)?.[1])] as const;
    });
    console.info(figures.map(([unit, figure]) => `${unit} ${figure}`).join(", "));
    expect(figures.filter(([, figure]) => !(figure <= EXPOSURE_MAX))).toEqual([]);
  });

  test(
    "one machine: the unit starts by the documented commands, and starts again when it is killed",
    async () => {
      expect(system.run(ONE_MACHINE)).toContain("default");
      expect(property("orch", "NotifyAccess")).toBe("all");
      expect(property("orch", "WatchdogTimestamp")).not.toBe("");
      system.run(`orch ${admin} create configmap kept --from-literal=a=b`);
      await killed("orch");
      expect(system.run(`orch ${admin} get configmap kept --output=json`)).toContain('"a"');
      system.run("systemctl restart orch");
      expect(property("orch", "Result")).toBe("success");
      expect(journal("orch")).not.toMatch(/SIGABRT|timed out|Failed with result '(?!signal)/);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "one machine: a damaged store is not started again and again, and a restored one is",
    async () => {
      system.run("systemctl stop orch && cp -a /var/lib/orch/store /var/tmp/store");
      system.run("for file in /var/lib/orch/store/*; do : > $file; done");
      system.try("systemctl start orch");
      await eventually("the unit has failed", async () => property("orch", "ActiveState") === "failed", WAIT);
      expect(property("orch", "NRestarts")).toBe("0");
      expect(["20", "21", "22", "23"]).toContain(property("orch", "ExecMainStatus"));
      system.run("rm -r /var/lib/orch/store && cp -a /var/tmp/store /var/lib/orch/store && systemctl start orch");
      expect(system.run(`orch ${admin} get configmap kept --output=json`)).toContain('"a"');
      system.run("systemctl disable --now orch");
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "a cluster starts by the documented commands, and every unit starts again when it is killed",
    async () => {
      system.run(WHOLE_CLUSTER);
      await untilActive(CLUSTER);
      await untilAnswered(`${viaBalancer}/readyz`);
      for (const unit of CLUSTER) await killed(unit);
      await untilAnswered(`${viaBalancer}/readyz`);
      const made = await untilAnswered(
        `${viaBalancer}/api/v1/namespaces -H 'Content-Type: application/json' -d '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}'`,
      );
      expect(made).toContain("shop");
      // The controller manager is served by the API server, and serves its own status with its own certificate.
      await untilAnswered(`${viaBalancer}/api/v1/namespaces/shop/serviceaccounts/default`);
      await untilAnswered("curl --silent --fail --cacert /etc/orch/pki/ca.crt https://localhost:10257/healthz");
    },
    SCENARIO_TIMEOUT_MS,
  );

  test("keys and client configurations are readable by their programs only", () => {
    const secrets = system
      .run("find /etc/orch /var/lib/orch -name '*.key' -o -name '*.kubeconfig' -o -name explorer.url -o -name '*.yaml'")
      .trim()
      .split("\n");
    expect(secrets.length).toBeGreaterThan(12);
    const readable = (user: string) =>
      secrets.filter(
        (path) => system.try(`setpriv --reuid=${user} --regid=${user} --clear-groups test -r ${path}`).status === 0,
      );
    system.run("useradd --system --user-group somebody");
    expect(readable("somebody")).toEqual([]);
    expect(readable("orch-etcd")).toEqual(["/etc/orch/pki/etcd/member.key"]);
    expect(readable("orch")).not.toContain("/etc/orch/pki/etcd/member.key");
    expect(readable("orch")).not.toContain("/etc/orch/pki/admin.key");
    // The API server runs as the same user as the controller manager, without access to the authority's key.
    const inUnit = (unit: string, path: string) =>
      system.try(`nsenter --target $(systemctl show --value --property=MainPID ${unit}) --mount cat ${path}`).status;
    expect(inUnit("orch-apiserver", "/etc/orch/pki/apiserver.key")).toBe(0);
    expect(
      system
        .run(
          `nsenter --target $(systemctl show --value --property=MainPID orch-apiserver) --mount stat --format=%a /etc/orch/pki/ca.key`,
        )
        .trim(),
    ).toBe("0");
    expect(inUnit("orch-controller-manager", "/etc/orch/pki/etcd/apiserver.key")).not.toBe(0);
  });

  test(
    "a renewed certificate with a new key is served without a restart",
    async () => {
      const served = () =>
        system.run("openssl s_client -connect 127.0.0.1:6443 </dev/null 2>/dev/null | openssl x509 -noout -serial");
      const [before, process] = [served(), property("orch-apiserver", "MainPID")];
      system.run("orch cert renew --data-dir=/etc/orch/pki --new-key apiserver");
      await eventually("the new certificate is served", async () => served() !== before, WAIT);
      expect(property("orch-apiserver", "MainPID")).toBe(process);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "all units of a cluster run again after a reboot, with all objects",
    async () => {
      await system.reboot();
      await untilActive(CLUSTER);
      expect(await untilAnswered(`${viaBalancer}/api/v1/namespaces/shop`)).toContain("shop");
      expect(system.run("systemctl --failed --no-legend")).not.toContain("orch");
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "the balancer is reloaded without the end of its process, and all units stop within their time",
    async () => {
      const process = property("orch-loadbalancer", "MainPID");
      system.run("systemctl reload orch-loadbalancer");
      expect(property("orch-loadbalancer", "MainPID")).toBe(process);
      await untilAnswered(`${viaBalancer}/readyz`);
      system.run(`systemctl stop ${CLUSTER.join(" ")}`);
      expect(CLUSTER.map((unit) => [unit, property(unit, "Result")])).toEqual(CLUSTER.map((unit) => [unit, "success"]));
    },
    SCENARIO_TIMEOUT_MS,
  );
});
