// docker-compose.yml: a cluster whose containers are restarted, killed, scaled and removed under load, and its certificates.
import { X509Certificate } from "node:crypto";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { parse } from "yaml";
import { configMap, configMapsPath, expectStatus } from "../harness/config-maps";
import { ComposeProject } from "../harness/containers/compose-project";
import { describeWithEngine, NpmSecrets } from "../harness/containers/container-engine";
import { buildImage, copySources, IMAGE } from "../harness/containers/orch-image";
import { SteadyLoad } from "../harness/containers/steady-load";
import { eventually, sleep } from "../harness/eventually";
import { freePorts } from "../harness/free-port";
import { repository, useWorkplace } from "../harness/processes";

const workplace = useWorkplace();
const BUILD_TIMEOUT_MS = 1_500_000;
const SCENARIO_TIMEOUT_MS = 900_000;
const DAY_MS = 86_400_000;
const REQUESTS = 5_000;
/** Certificates, three of etcd, two API servers, two controller managers, load balancer, Prometheus. */
const CONTAINERS = 10;
const OWNER = { uid: 1234, gid: 1235 };
const [ORCH_GROUP, NOBODY_GROUP] = [65_532, 65_534];

describeWithEngine("docker compose", ["node", "etcd", "haproxy", "prometheus"], (engine) => {
  let project: ComposeProject;

  beforeAll(async () => {
    const secrets = new NpmSecrets();
    const sources = workplace.folder();
    copySources(sources);
    await buildImage(engine, sources, secrets);
    secrets.remove();
    const [port = 0, prometheus = 0] = await freePorts(2);
    project = new ComposeProject({ engine, folder: workplace.folder(), ports: [port, prometheus] });
    chownSync(join(project.folder, "docker-compose.yml"), OWNER.uid, OWNER.gid);
    await project.compose("up", "--detach");
    await project.ready(CONTAINERS);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await project?.run("down", "--volumes", "--timeout=10");
  }, 120_000);

  test("starts a cluster that the administrator reaches from this machine", async () => {
    expect((await project.admin().get("/readyz")).status).toBe(200);
    const info = "/api/v1/namespaces/orch-public/configmaps/cluster-info";
    await eventually("cluster-info is published", async () => (await project.admin().get(info)).status === 200);
    expect((await project.admin().get(info)).body).toContain(project.url);
  }, 60_000);

  test("confines every container, and names no image latest", async () => {
    const text = readFileSync(join(repository, "docker-compose.yml"), "utf8");
    const { services } = parse(text, { merge: true }) as { services: Record<string, Record<string, unknown>> };
    for (const [name, service] of Object.entries(services)) {
      expect({ name, ...service }).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      expect(service).toHaveProperty("mem_limit");
      // The image has the health check of an API server.
      expect(name === "apiserver" || "healthcheck" in service).toBe(true);
      expect(String(service["image"])).toMatch(/:.*\d/);
    }
    expect(Object.values(services).filter((service) => "build" in service)).toHaveLength(1);
    expect(text).toContain(`\${ORCH_IMAGE:-${IMAGE}}`);
  });

  test("gives each service a folder of its own, which the caller owns", () => {
    const modeOf = (...parts: string[]) => {
      const { uid, gid, mode } = statSync(project.path(...parts));
      return { uid, gid, mode: (mode & 0o777).toString(8) };
    };
    expect(modeOf("admin.kubeconfig")).toEqual({ ...OWNER, mode: "600" });
    expect(modeOf("authority", "ca.key")).toEqual({ ...OWNER, mode: "600" });
    expect(modeOf("authority")).toEqual({ ...OWNER, mode: "700" });
    const { uid } = OWNER;
    expect(modeOf("apiserver", "apiserver.key")).toEqual({ uid, gid: ORCH_GROUP, mode: "640" });
    expect(modeOf("apiserver")).toEqual({ uid, gid: ORCH_GROUP, mode: "750" });
    expect(modeOf("prometheus", "client.key")).toEqual({ uid, gid: NOBODY_GROUP, mode: "640" });
    expect(modeOf("etcd-1", "member.key")).toEqual({ uid, gid: 0, mode: "640" });
    expect(project.read("etcd-1", "member.key").equals(project.read("etcd-2", "member.key"))).toBe(false);
  });

  test(
    `restarts all containers one after another without a failed request of ${REQUESTS}`,
    async () => {
      const load = new SteadyLoad(() => project.admin(), configMapsPath(), 100);
      const losses: Record<string, number> = {};
      for (const { Name, Service } of (await project.containers()).filter(({ State }) => State === "running")) {
        const before = load.lost;
        await project.docker("restart", Name);
        await project.healthy(Name);
        losses[Service] = (losses[Service] ?? 0) + load.lost - before;
      }
      while (load.answered < REQUESTS && load.failures.length === 0) await sleep(100);
      await load.stop();
      console.info(
        `${load.answered} requests, ${load.repeated} repeated as the server asked; connections lost by restarted service: ${JSON.stringify(losses)}`,
      );
      expect(load.failures).toEqual([]);
      expect(load.answered).toBeGreaterThanOrEqual(REQUESTS);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "loses no request when containers crash, and starts them again",
    async () => {
      const load = new SteadyLoad(() => project.admin(), configMapsPath(), 50);
      try {
        for (const service of [
          "apiserver",
          "etcd-2",
          "controller-manager",
          "apiserver",
          "loadbalancer",
          "prometheus",
        ]) {
          const [container] = await project.containers(service);
          if (container === undefined) throw new Error(`there is no container of ${service}`);
          const restarts = () => project.docker("inspect", "--format={{.RestartCount}}", container.Name);
          const before = await restarts();
          await project.crash(container.Name);
          await eventually(`${container.Name} starts again`, async () => (await restarts()) !== before, {
            timeoutMs: 60_000,
            pauseMs: 250,
          });
          await project.healthy(container.Name);
        }
      } finally {
        await load.stop();
      }
      console.info(
        `${load.answered} requests, ${load.repeated} repeated as the server asked, ${load.lost} lost connections`,
      );
      expect(load.failures).toEqual([]);
      expect(load.answered).toBeGreaterThan(500);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "finds replicas that --scale adds, in the load balancer and in Prometheus",
    async () => {
      await project.compose("up", "--detach", "--no-recreate", "--scale=apiserver=3");
      await project.ready(CONTAINERS + 1);
      const ask = async <Data>(path: string) => {
        const answer = await fetch(`${project.prometheus}/api/v1/${path}`);
        return ((await answer.json()) as { readonly data: Data }).data;
      };
      // Counts what it scrapes now. The metric "up" of an address that is gone stays for minutes when Prometheus was killed with it.
      const scraped = async (job: string) => {
        const { activeTargets } = await ask<Targets>("targets?state=active");
        return activeTargets.filter(({ labels, health }) => labels.job === job && health === "up").length;
      };
      const count = async (query: string) => {
        const { result } = await ask<QueryResult>(`query?query=${encodeURIComponent(query)}`);
        return Number(result[0]?.value[1] ?? 0);
      };
      const within = { timeoutMs: 90_000, pauseMs: 500 };
      await eventually("Prometheus scrapes three", async () => (await scraped("orch-apiserver")) === 3, within);
      await eventually("two managers", async () => (await scraped("orch-controller-manager")) === 2, within);
      await eventually("three members", async () => (await scraped("etcd")) === 3, within);
      const used = 'sum(haproxy_server_status{proxy="apiservers",state="UP"})';
      await eventually("the load balancer uses three", async () => (await count(used)) === 3, within);
      await project.compose("up", "--detach", "--no-recreate", "--scale=apiserver=2");
      await eventually("the load balancer uses two", async () => (await count(used)) === 2, within);
      expect((await project.admin().get("/readyz")).status).toBe(200);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "keeps objects when all containers stop and start, and when they are removed and made anew",
    async () => {
      await expectStatus(201, project.admin().post(configMapsPath(), configMap("kept")));
      await project.compose("stop");
      await project.compose("start");
      await project.ready(CONTAINERS);
      await expectStatus(200, project.admin().get(`${configMapsPath()}/kept`));
      await project.compose("down");
      await project.compose("up", "--detach");
      await project.ready(CONTAINERS);
      await expectStatus(200, project.admin().get(`${configMapsPath()}/kept`));
    },
    SCENARIO_TIMEOUT_MS,
  );

  describe("certificates", () => {
    test(
      "are issued anew before they end, and used without a restart",
      async () => {
        replaceByOneThatEnds(project, 5);
        await project.docker("restart", await nameOf("certificates"));
        await project.healthy(await nameOf("certificates"));
        expect(await project.compose("logs", "certificates")).toMatch(/Issuing apiserver in \S+: it ends on/);
        const servers = await project.containers("apiserver");
        await eventually("all servers present the new one", async () => (await daysLeft(project)) > 300, {
          timeoutMs: 90_000,
          pauseMs: 250,
        });
        expect((await project.containers("apiserver")).map(({ Name }) => Name)).toEqual(
          servers.map(({ Name }) => Name),
        );
        expect((await project.admin().get("/readyz")).status).toBe(200);
      },
      SCENARIO_TIMEOUT_MS,
    );

    test(
      "are issued anew for other names",
      async () => {
        project.env["ORCH_HOSTS"] = "api.example.com,192.0.2.7";
        await project.compose("up", "--detach");
        await project.ready(CONTAINERS);
        const { subjectAltName } = new X509Certificate(project.read("apiserver", "apiserver.crt"));
        expect(subjectAltName).toContain("DNS:api.example.com");
        expect(subjectAltName).toContain("IP Address:192.0.2.7");
        await expectStatus(200, project.admin().get(`${configMapsPath()}/kept`));
      },
      SCENARIO_TIMEOUT_MS,
    );

    const nameOf = async (service: string) => (await project.containers(service))[0]?.Name ?? "";
  });
});

/** Answers of Prometheus, https://prometheus.io/docs/prometheus/latest/querying/api/. */
interface Targets {
  readonly activeTargets: readonly { readonly labels: { readonly job: string }; readonly health: string }[];
}

interface QueryResult {
  readonly result: readonly { readonly value: readonly [seconds: number, value: string] }[];
}

/** Puts a serving certificate in place that was made long ago. */
function replaceByOneThatEnds(project: ComposeProject, days: number): void {
  const text = (name: string) => project.read("authority", name).toString("utf8");
  const validMs = Date.parse(new X509Certificate(text("apiserver.crt")).validTo) - Date.now();
  const made = makeCertificate({
    subject: { commonName: "apiserver" },
    usage: { kind: "peer", names: ["localhost", "127.0.0.1", "apiserver", "loadbalancer"] },
    issuer: { certificate: text("ca.crt"), key: text("ca.key") },
    nowMs: Date.now() - validMs + days * DAY_MS,
  });
  for (const folder of ["authority", "apiserver"]) {
    writeFileSync(project.path(folder, "apiserver.key"), made.key);
    writeFileSync(project.path(folder, "apiserver.crt"), made.certificate);
  }
}

/** Returns the days that are left of the certificate that one of the servers presents. */
function daysLeft({ url }: ComposeProject): Promise<number> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const { valid_to: end } = socket.getPeerCertificate();
      socket.destroy();
      resolve((Date.parse(end) - Date.now()) / DAY_MS);
    });
  });
}
