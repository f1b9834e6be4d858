import { beforeAll, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let admin: ApiClient;
let text: string;

useServer((running) => ({ server, admin } = running));

beforeAll(async () => {
  for (const name of ["a", "b"]) await admin.post(CONFIG_MAPS, configMap(name));
  const watch = await admin.watch(`${CONFIG_MAPS}?watch=1`);
  await watch.take(2);
  watch.close();
  const proxy = new ApiClient(server, server.issueClient({ name: "orch_proxy", groups: [] }));
  await proxy.get(CONFIG_MAPS);
  proxy.close();
  await admin.get("/docs");
  await admin.get(CONFIG_MAPS, { headers: { "impersonate-user": "jane" } });
  text = (await admin.get("/metrics")).text;
});

/** The value of the single series with these labels, in rendered form. */
function seriesValue(name: string, labels = ""): number {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}${labels === "" ? " " : "{"}`));
  const found = lines.filter((line) => line.includes(labels));
  expect([name, labels, found.length]).toEqual([name, labels, 1]);
  return Number(found[0]?.split(" ").at(-1));
}

// One more is the server's own watch of the published authentication information.
test("a watch is counted with the objects that it began with", () =>
  expect(seriesValue("apiserver_init_events_total", 'resource="configmaps"')).toBe(3));

test("the certificates of clients show for how long they are still good", () => {
  expect(seriesValue("apiserver_client_certificate_expiration_seconds_count")).toBeGreaterThan(3);
  expect(seriesValue("apiserver_client_certificate_expiration_seconds_bucket", 'le="0"')).toBe(0);
});

test("admission shows as a summary what it shows as a histogram", () => {
  const labels = 'type="validate",operation="CREATE",rejected="false"';
  const name = "apiserver_admission_step_admission_duration_seconds";
  expect(seriesValue(`${name}_summary_count`, labels)).toBe(seriesValue(`${name}_count`, labels));
});

test("users that every cluster has are told apart, others are not", () =>
  expect(seriesValue("authenticated_user_requests", 'username="orch_proxy"')).toBe(1));

test("the duration of impersonation checks is counted", () =>
  expect(seriesValue("apiserver_request_filter_duration_seconds_count", 'filter="impersonation"')).toBe(1));

test("answers of other media types than the API's are one", () => {
  expect(seriesValue("apiserver_request_total", 'subresource="/docs"')).toBe(1);
  expect(text).toMatch(/subresource="\/docs".*contentType="other"/);
});

test("scrapers that prefer OpenMetrics get it", async () => {
  const accept = "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5";
  const answer = await admin.get("/metrics", { headers: { accept } });
  expect(answer.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(answer.text).toMatch(/^# TYPE apiserver_request counter\napiserver_request_total\{/m);
  expect(answer.text.endsWith("\n# EOF\n")).toBe(true);
});

test("certificates in use show when they expire, by option", () => {
  const inDays = (option: string) =>
    (seriesValue("apiserver_certificate_expiration_timestamp_seconds", `option="${option}"`) - Date.now() / 1000) /
    86_400;
  expect(Math.round(inDays("tls-cert-file"))).toBe(365);
  expect(inDays("client-ca-file")).toBeGreaterThan(3000);
});

test("the watch cache shows that it is connected and current", () => {
  expect(seriesValue("apiserver_watch_cache_connected")).toBe(1);
  expect(seriesValue("apiserver_watch_cache_lag_seconds")).toBe(0);
});

test("a store without an alarm shows 0 for each", () => {
  for (const alarm of ["NOSPACE", "CORRUPT"])
    expect(seriesValue("apiserver_storage_alarm", `storage_cluster_id="etcd-0",alarm="${alarm}"`)).toBe(0);
});
