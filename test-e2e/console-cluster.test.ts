// The page of the console about the server: what an administrator sees, and what a user with few rights is told.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";

beforeAll(async () => {
  const folder = workplace.folder();
  const policy = join(folder, "policy.json");
  const rules = [{ level: "None", nonResourceURLs: ["/debug/*"] }, { level: "Request" }];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  const flags = ["--vocabulary=kubernetes", `--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, "log")}`];
  [server, browser] = await Promise.all([
    startApiServer(workplace, { store: { kind: "embedded" }, flags }),
    startBrowser(),
  ]);
  const { admin } = server;
  await Promise.all([
    admin.post("/api/v1/namespaces", { metadata: { name: "shop" } }),
    admin.post(`${ADMISSION}/validatingwebhookconfigurations`, {
      metadata: { name: "checks" },
      webhooks: [
        {
          name: "check.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy: "Ignore",
          timeoutSeconds: 1,
          clientConfig: { url: "https://127.0.0.1:1/check" },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"], operations: ["CREATE"] }],
        },
      ],
    }),
    admin.post(`${ADMISSION}/validatingadmissionpolicies`, {
      metadata: { name: "small" },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
        },
        validations: [{ expression: "true" }],
      },
    }),
  ]);
  await admin.post("/api/v1/namespaces/shop/secrets", { metadata: { name: "shown" } });
  await admin.get("/api/v1/endpoints"); // a deprecated kind
}, 120_000);
afterAll(async () => browser?.close());

/** Section of the page by its heading. */
const section = (tab: ConsolePage, title: string) => tab.page.getByRole("region", { name: title, exact: true });

describe("the page about the server", () => {
  test("shows each part with the figures of the server", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("admin-token");
    await tab.page.locator("#main").focus();
    await tab.page.keyboard.press("g");
    await tab.page.keyboard.press("l");
    const shows = (title: string, ...texts: readonly (string | RegExp)[]) =>
      Promise.all(texts.map((text) => section(tab, title).getByText(text).first().waitFor()));
    await tab.page.getByRole("heading", { name: "Cluster" }).waitFor();
    await shows("Health checks", /All \d+ checks pass/, "ping");
    await shows("Replicas and leaders", "alive");
    await shows("Flow control", "exempt", "global-default", /of \d+/, "No request waits.");
    await shows("Store", /etcd-0: \d/, "Compaction", "namespaces");
    await shows("Admission webhooks", "check.example.com", "https://127.0.0.1:1/check", "1 ignored", "Ignore");
    await shows("Admission policies", "small", "validating");
    await shows("Deprecated versions", /the next one is/, "endpoints", /EndpointSlice/);
    await shows("Clients", "admin", /Mozilla/);
    await shows("Certificates", "--tls-cert-file", "ok");
    await shows("Audit", "admin", "list", "200");
    // A rate needs two looks at the metrics.
    const requests = tab.page.getByRole("img", { name: /^Requests: now [\d.,]+\/s, minimum .*, maximum / });
    await requests.waitFor();
    for (const name of ["Watchers", "Event-loop lag, 99th percentile", "Memory"])
      await tab.page.getByRole("img", { name: new RegExp(`^${name}: now [\\d.,]+`) }).waitFor();
    expect(await requests.locator("path").getAttribute("d")).toMatch(/^M/);

    await section(tab, "Store").getByRole("button", { name: "Measure" }).click();
    await tab.page.getByRole("region", { name: "Sizes by namespace" }).getByText("shop").waitFor();
    expect(await tab.inaccessible()).toEqual([]);
    expect(await tab.page.locator("[style]").count()).toBe(0);
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("filters the audit log, follows it, and shows events as the log has them", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("admin-token");
    await tab.go("#/cluster");
    const audit = section(tab, "Audit");
    await audit.getByLabel("Verb").fill("create");
    await audit.getByLabel("Verb").press("Enter");
    await audit.getByLabel("Resource").fill("secrets");
    await audit.getByLabel("Resource").press("Enter");
    await Promise.all([
      tab.page.waitForResponse(/audit\?verb=create&resource=secrets&stage=ResponseComplete$/),
      audit.getByLabel("Stage").selectOption("ResponseComplete"),
    ]);
    const row = audit.getByRole("row", { name: /secrets shop\/shown/ });
    await row.getByText("201").waitFor();
    expect(await audit.locator("tbody tr").count()).toBe(1);
    await row.getByText("Show", { exact: true }).click();
    await row.getByText('"requestURI": "/api/v1/namespaces/shop/secrets"').waitFor();
    await server.admin.post("/api/v1/namespaces/shop/secrets", { metadata: { name: "later" } });
    await audit.getByRole("row", { name: /secrets shop\/later/ }).waitFor();
    await row.getByText('"requestURI": "/api/v1/namespaces/shop/secrets"').waitFor(); // still open
    await audit.getByLabel("Status code").fill("5xx");
    await audit.getByLabel("Status code").press("Enter");
    await audit.getByText(/No event matches in the last [\d.]+ KiB of the log/).waitFor();
    await audit.getByLabel("Status code").fill("many");
    await audit.getByLabel("Status code").press("Enter");
    await audit.getByText(/code: "many" is not a status code/).waitFor();
    for (const name of ["Verb", "Resource", "Status code"]) {
      await audit.getByLabel(name).fill("");
      await audit.getByLabel(name).press("Enter");
    }
    await audit.getByRole("button", { name: "Older events" }).click();
    await audit.getByRole("button", { name: "Newest events" }).click();
    expect(await tab.inaccessible()).toEqual([]);
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("tells a user with few rights which permissions are missing", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("viewer-token");
    await tab.go("#/cluster");
    await section(tab, "Health checks")
      .getByText(/All \d+ checks pass/)
      .waitFor();
    for (const [title, words] of [
      ["Load", /cannot get path "\/metrics"/],
      ["Replicas and leaders", /cannot list resource "leases"/],
      ["Flow control", /cannot get path "\/debug\/api_priority_and_fairness/],
      ["Store", /cannot get path "\/metrics"/],
      ["Admission webhooks", /cannot list resource "(mutating|validating)webhookconfigurations"/],
      ["Admission policies", /cannot list resource "(mutating|validating)admissionpolicies"/],
      ["Deprecated versions", /cannot get path "\/debug\/deprecations"/],
      ["Clients", /cannot get path "\/debug\/clients"/],
      ["Audit", /cannot get path "\/debug\/audit"/],
      ["Certificates", /cannot get path "\/metrics"/],
    ] as const)
      await section(tab, title).getByText(words).first().waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);
});
