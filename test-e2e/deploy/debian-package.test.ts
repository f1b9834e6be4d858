// The Debian package in a system whose first process is systemd: it is installed, installed again while its services run,
// removed and purged. docs/install.md, "Without building".
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { describeWhere, type Offered } from "../harness/describe-where";
import { eventually } from "../harness/eventually";
import { repository, useWorkplace } from "../harness/processes";
import { BootedSystem, systemRoot } from "../harness/system/booted-system";

const workplace = useWorkplace();
const SETUP_TIMEOUT_MS = 1_500_000;
const WAIT = { timeoutMs: 120_000, pauseMs: 200 };
/** Folders and files that the package and its services make. */
const PLACES = ["/var/lib/orch", "/etc/orch", "/usr/lib/orch", "/usr/bin/orch"];

const offered = (): Offered<{ readonly root: string }> =>
  process.arch === "x64" ? systemRoot() : { reason: "releases are made on Linux for x64" };

describeWhere(offered(), "the Debian package under systemd", ({ root }) => {
  let system: BootedSystem;
  const state = (unit: string) => system.try(`systemctl show --value --property=ActiveState ${unit}`).stdout.trim();
  const isThere = (path: string) => system.try(`test -e ${path}`).status === 0;
  const orch = "orch --kubeconfig=/var/lib/orch/admin.kubeconfig";

  beforeAll(async () => {
    const out = workplace.folder();
    execFileSync(process.execPath, [join(repository, "scripts/dist/main.mjs"), out], { stdio: "ignore" });
    const [archive = ""] = readdirSync(out).filter((name) => name.endsWith(".deb"));
    system = new BootedSystem(workplace, root);
    copyFileSync(join(out, archive), system.file("/var/tmp/orch.deb"));
    await system.boot();
  }, SETUP_TIMEOUT_MS);

  test("is installed, and its service starts", async () => {
    system.run("dpkg --install /var/tmp/orch.deb");
    expect(state("orch")).toBe("inactive");
    system.run("systemctl enable --now orch");
    await eventually("the service is active", async () => state("orch") === "active", WAIT);
    expect(system.run(`${orch} create configmap kept --from-literal=a=b`)).toContain("created");
  }, 180_000);

  test("restarts the running service when it is installed again, and keeps objects and settings", async () => {
    const main = () => system.run("systemctl show --value --property=MainPID orch").trim();
    const before = main();
    system.run("echo '# of the administrator' >> /etc/orch/orch.yaml");
    system.run("dpkg --install --force-confold /var/tmp/orch.deb");
    await eventually("another process serves", async () => state("orch") === "active" && main() !== before, WAIT);
    expect(system.run(`${orch} get configmap kept --output=json`)).toContain('"a": "b"');
    expect(system.run("cat /etc/orch/orch.yaml")).toContain("# of the administrator");
  }, 180_000);

  test("stops the service when it is removed, and keeps objects and settings", () => {
    system.run("dpkg --remove orch");
    expect(state("orch")).toBe("inactive");
    expect(system.try("pgrep --uid orch").stdout).toBe("");
    expect(PLACES.filter(isThere)).toEqual(["/var/lib/orch", "/etc/orch"]);
    expect(system.try("systemctl cat orch").status).not.toBe(0);
  }, 120_000);

  test("leaves nothing behind when it is purged while its service runs", async () => {
    system.run("dpkg --install /var/tmp/orch.deb");
    system.run("systemctl enable --now orch");
    await eventually("the service is active", async () => state("orch") === "active", WAIT);
    expect(system.run(`${orch} get configmap kept --output=json`)).toContain('"a": "b"');
    system.run("dpkg --purge orch");
    expect(PLACES.filter(isThere)).toEqual([]);
    expect(system.try("getent passwd orch").stdout).toBe("");
    expect(system.try("getent group orch").stdout).toBe("");
    expect(system.run("systemctl list-units --all --no-legend --plain 'orch*'")).toBe("");
    expect(system.run("systemctl list-units --failed --no-legend --plain")).not.toContain("orch");
    expect(system.run("find /etc/systemd /usr/lib/systemd /lib/systemd -name 'orch*'")).toBe("");
  }, 180_000);
});
