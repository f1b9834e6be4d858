// Every query of the dashboards has data: a real Prometheus scrapes a fleet that is used in every way that they show.
// MIXIN_FOLDER names a folder with public dashboards and rules for kube-apiserver, whose queries are tried as well.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments, stringify } from "yaml";
import { AdmissionWebhooks } from "../harness/admission-webhook";
import { Authority } from "../harness/credentials";
import { eventually } from "../harness/eventually";
import { Fleet } from "../harness/fleet";
import { ApiClient } from "../harness/https-client";
import { repository, useWorkplace } from "../harness/processes";
import type { Watch } from "../harness/watch-reader";
import { accepts, closes, refuses } from "../harness/webhook-behaviours";
import { QUERIES, type Query, queriesOf, withoutVariables } from "../observability/dashboards";

const workplace = useWorkplace();

const HAS_PROMETHEUS = existsSync(join(repository, ".tools/bin/prometheus"));
const FOLDER = process.env["MIXIN_FOLDER"];

/** Scrapes come every 15 s; rates need two of them, and the rule of the budget a minute more. */
const DATA_MS = 240_000;

if (HAS_PROMETHEUS) describe("a fleet of three API servers with Prometheus", describeFleet);
else
  test("Prometheus is missing: node scripts/install-tools.mjs etcd haproxy prometheus", () =>
    expect(HAS_PROMETHEUS).toBe(false));

function describeFleet(): void {
  let fleet: Fleet;
  let usage: Usage;

  beforeAll(async () => {
    const folder = workplace.folder();
    const options = ["--vocabulary=kubernetes", "--prometheus", ...serverFlags(folder)];
    fleet = await Fleet.start(workplace, { servers: 3, options });
    usage = await Usage.start(fleet);
  }, 300_000);

  afterAll(async () => {
    await usage?.stop();
    await fleet?.stop();
  }, 120_000);

  test("has all members as targets, and no rule that fails", async () => {
    await eventually(
      "all targets are up",
      async () => {
        const { activeTargets } = await fleet.prometheus<{ activeTargets: { health: string }[] }>("targets");
        return activeTargets.length === 8 && activeTargets.every(({ health }) => health === "up");
      },
      { timeoutMs: DATA_MS },
    );
    const { groups } = await fleet.prometheus<{ groups: { rules: { health: string; lastError?: string }[] }[] }>(
      "rules",
    );
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(50);
    expect(rules.filter(({ health }) => health === "err")).toEqual([]);
  }, 300_000);

  test("gives data to every query of the dashboards", async () => {
    const without = await unanswered(QUERIES);
    expect(without.map(({ dashboard, panel, expr }) => `${dashboard}, ${panel}: ${expr}`)).toEqual([]);
  }, 300_000);

  if (FOLDER !== undefined)
    test("gives data to public dashboards and rules for kube-apiserver", async () => {
      const { groups, queries } = publicFiles(FOLDER);
      // Dashboards and other rules read the recorded series.
      fleet.addRules("public.yaml", stringify({ groups }, { lineWidth: 0 }));
      const without = await unanswered(queries);
      console.info(`${queries.length - without.length} of ${queries.length} queries have data`);
      for (const { dashboard, panel, expr } of without) console.info(`no data: ${dashboard}, ${panel}: ${expr}`);
      expect(queries.length).toBeGreaterThan(without.length);
    }, 300_000);

  /** Returns the queries that still have no data after a while. */
  async function unanswered(queries: readonly Query[], timeoutMs = DATA_MS): Promise<Query[]> {
    const end = performance.now() + timeoutMs;
    let open = [...queries];
    for (;;) {
      const answered = await Promise.all(open.map(({ expr }) => hasData(expr)));
      open = open.filter((_query, index) => answered[index] !== true);
      if (open.length === 0 || performance.now() > end) return open;
      await new Promise((resolve) => setTimeout(resolve, 5000));
    }
  }

  async function hasData(expr: string): Promise<boolean> {
    const query = encodeURIComponent(withoutVariables(expr));
    const { result } = await fleet.prometheus<{ result: unknown }>(`query?query=${query}`);
    return Array.isArray(result) && result.length > 0;
  }
}

function serverFlags(folder: string): string[] {
  const encryption = join(folder, "encryption.json");
  const secret = randomBytes(32).toString("base64");
  const providers = [{ secretbox: { keys: [{ name: "one", secret }] } }, { identity: {} }];
  const kind = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
  writeFileSync(encryption, JSON.stringify({ ...kind, resources: [{ resources: ["secrets"], providers }] }));
  const policy = join(folder, "audit.json");
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
  );
  return [
    `--encryption-provider-config=${encryption}`,
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(folder, "audit.log")}`,
  ].map((flag) => `--server-flag=${flag}`);
}

const CORE = "/api/v1/namespaces/default";
const HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRON_TABS = "/apis/example.com/v1/namespaces/default/crontabs";

/** Clients that use the fleet until they are stopped: reads, writes, watches, custom resources and failing webhooks. */
class Usage {
  private isStopped = false;
  private readonly watches: Watch[] = [];
  private work: Promise<void> = Promise.resolve();

  private constructor(
    private readonly webhooks: AdmissionWebhooks,
    private readonly clients: readonly ApiClient[],
  ) {}

  static async start(fleet: Fleet): Promise<Usage> {
    const webhooks = await new AdmissionWebhooks(new Authority(workplace)).start();
    webhooks.does("/accepts", accepts);
    webhooks.does("/refuses", refuses());
    webhooks.does("/closes", closes);
    const clients = fleet.topology.apiServers.map(
      ({ port }) => new ApiClient(`https://127.0.0.1:${port}`, fleet.credentials("admin")),
    );
    const usage = new Usage(webhooks, clients);
    await usage.prepare();
    usage.work = usage.go();
    return usage;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.work;
    for (const watch of this.watches) watch.close();
    await this.webhooks.stop();
  }

  private async prepare(): Promise<void> {
    const [first] = this.clients;
    for (const name of ["accepts", "refuses", "closes"])
      await first?.post(HOOKS, webhookConfiguration(name, this.webhooks.at(`/${name}`)));
    await first?.post(DEFINITIONS, CRON_TAB_DEFINITION);
    await eventually("the definition is served", async () => (await first?.get(CRON_TABS))?.status === 200);
    for (const client of this.clients) this.watches.push(await client.watch(`${CORE}/configmaps?watch=1`));
  }

  private async go(): Promise<void> {
    for (let round = 0; !this.isStopped; round += 1) {
      await Promise.all(this.clients.map((client, index) => this.useOnce(client, `r${round}-${index}`)));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  private async useOnce(client: ApiClient, name: string): Promise<void> {
    const map = (hook: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${hook}-${name}`, labels: { hook } },
    });
    for (const hook of ["accepts", "refuses", "closes", "none"]) await client.post(`${CORE}/configmaps`, map(hook));
    await client.post(`${CORE}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name },
      stringData: { a: "b" },
    });
    await client.post(CRON_TABS, {
      apiVersion: "example.com/v1",
      kind: "CronTab",
      metadata: { name },
      spec: { size: 1 },
    });
    for (const path of [`${CORE}/secrets`, `${CORE}/configmaps`, CRON_TABS, `${CORE}/configmaps/absent`])
      await client.get(path);
    for (const path of [`${CORE}/configmaps/none-${name}`, `${CORE}/secrets/${name}`, `${CRON_TABS}/${name}`])
      await client.delete(path);
  }
}

const webhookConfiguration = (name: string, clientConfig: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig,
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      objectSelector: { matchLabels: { hook: name } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 2,
    },
  ],
});

const CRON_TAB_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "crontabs.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", listKind: "CronTabList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { size: { type: "integer" } },
                "x-kubernetes-validations": [{ rule: "self.size > 0" }],
              },
            },
          },
        },
      },
    ],
  },
};

interface RuleGroup {
  readonly name: string;
  readonly rules: readonly { readonly record?: string; readonly expr: string }[];
}

/** Content of a folder of public dashboards (`*.json`) and rules (`*.yaml`) about API servers and controller managers. */
interface PublicFiles {
  readonly groups: readonly RuleGroup[];
  /** Those of the dashboards and of the recording rules. */
  readonly queries: readonly Query[];
}

function publicFiles(folder: string): PublicFiles {
  const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  const groups = files.filter(({ name }) => name.endsWith(".yaml")).flatMap(({ text }) => ruleGroupsIn(text));
  const ofDashboards = files.filter(({ name }) => name.endsWith(".json")).flatMap(({ text }) => queriesOf(text));
  const ofRules = groups.flatMap(({ name, rules }) =>
    rules.flatMap(({ record, expr }) => (record === undefined ? [] : [{ dashboard: name, panel: record, expr }])),
  );
  return {
    groups,
    queries: [...ofDashboards, ...ofRules].map((query) => ({ ...query, expr: ofThisFleet(query.expr) })),
  };
}

/** Reads groups of rules, as Prometheus does or from objects of the kind PrometheusRule. Default intervals apply. */
function ruleGroupsIn(text: string): RuleGroup[] {
  const documents = parseAllDocuments(text).map(
    (document) => document.toJSON() as { groups?: RuleGroup[]; spec?: { groups?: RuleGroup[] } } | null,
  );
  return documents
    .flatMap((document) => document?.groups ?? document?.spec?.groups ?? [])
    .filter(({ name }) => /apiserver|controller-manager/.test(name))
    .map(({ name, rules }) => ({ name, rules: rules.map((rule) => ({ ...rule, expr: ofThisFleet(rule.expr) })) }));
}

const ofThisFleet = (expr: string): string =>
  expr
    .replace(/job="(?:kube-)?apiserver"/g, 'job="orch-apiserver"')
    .replace(/job="kube-controller-manager"/g, 'job="orch-controller-manager"');
