// Metrics that a release added, renamed, deprecated or gave other labels. Source: the list of metrics in
// test/instrumentation/documentation/documentation.md of Kubernetes.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";

const RELEASES = ["1.23", "1.30", "1.36"] as const;
type Release = (typeof RELEASES)[number];

const texts = new Map<Release, string>();
const started: { readonly server: RunningServer; readonly admin: ApiClient }[] = [];

async function textAt(release: Release): Promise<string> {
  const server = await startServer({ flags: { "emulated-release": release } });
  const admin = new ApiClient(server, server.admin);
  started.push({ server, admin });
  await admin.post(CONFIG_MAPS, configMap("a"));
  await admin.get(CONFIG_MAPS);
  // The series of a flow begin with its first request; those of administrators are exempt from limits.
  const user = new ApiClient(server, server.issueClient({ name: "jane" }));
  await user.get("/version");
  user.close();
  const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  const services = "/api/v1/namespaces/default/services";
  await admin.post(services, service("any", { type: "NodePort" }));
  const { json } = await admin.get(`${services}/any`);
  await admin.post(services, service("taken", { clusterIP: (json.spec as { readonly clusterIP?: string }).clusterIP }));
  await admin.post(`${services}?dryRun=All`, service("dry", { type: "NodePort" }));
  const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = await admin.watch(`${CONFIG_MAPS}?${query}`);
  await watch.take(2);
  watch.close();
  // The gauges of flow control are set once a second.
  for (;;) {
    const { text } = await admin.get("/metrics");
    if (/^apiserver_flowcontrol_(request_concurrency_limit|nominal_limit_seats)\{/m.test(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

beforeAll(async () => {
  for (const release of RELEASES) texts.set(release, await textAt(release));
});
afterAll(async () => {
  for (const { server, admin } of started) {
    admin.close();
    await server.stop();
  }
});

const textOf = (release: Release) => texts.get(release) as string;
const helpOf = (release: Release, name: string) =>
  textOf(release)
    .split("\n")
    .find((line) => line.startsWith(`# HELP ${name} `))
    ?.slice(`# HELP ${name} `.length);

describe.each<[name: string, Partial<Record<Release, string>>]>([
  ["apiserver_request_total", { "1.23": "[STABLE]", "1.30": "[STABLE]", "1.36": "[STABLE]" }],
  ["apiserver_request_slo_duration_seconds", { "1.23": "[ALPHA]" }],
  ["apiserver_request_sli_duration_seconds", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["apiserver_longrunning_gauge", { "1.23": "[ALPHA] (Deprecated since 1.23.0)" }],
  ["apiserver_longrunning_requests", { "1.23": "[STABLE]", "1.30": "[STABLE]", "1.36": "[STABLE]" }],
  [
    "apiserver_storage_objects",
    { "1.23": "[STABLE]", "1.30": "[STABLE]", "1.36": "[STABLE] (Deprecated since 1.34.0)" },
  ],
  ["apiserver_resource_objects", { "1.36": "[ALPHA]" }],
  ["apiserver_storage_size_bytes", { "1.30": "[STABLE]", "1.36": "[STABLE]" }],
  ["apiserver_storage_events_received_total", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_watch_list_duration_seconds", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_flowcontrol_nominal_limit_seats", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_flowcontrol_rejected_requests_total", { "1.23": "[ALPHA]", "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_watch_cache_consistent_read_total", { "1.36": "[ALPHA]" }],
  ["apiserver_cache_list_total", { "1.23": "[ALPHA]", "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["apiserver_authentication_config_controller_automatic_reloads_total", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_validation_declarative_validation_mismatch_total", { "1.36": "[BETA]" }],
  ["apiserver_authentication_config_controller_last_config_info", { "1.36": "[ALPHA]" }],
  ["apiserver_externaljwt_sign_request_total", { "1.36": "[ALPHA]" }],
  ["apiserver_crd_webhook_conversion_duration_seconds", { "1.23": "[ALPHA]" }],
  ["apiserver_conversion_webhook_request_total", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["apiserver_storage_decode_errors_total", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["kube_apiserver_pod_logs_insecure_backend_total", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["registered_metrics_total", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_cel_compilation_duration_seconds", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["apiserver_cel_evaluation_duration_seconds", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["version_info", { "1.36": "[ALPHA]" }],
  ["apiserver_watch_events_total", { "1.23": "[ALPHA]", "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["orch_feature_enabled", { "1.30": "[BETA]", "1.36": "[BETA]" }],
  ["orch_build_info", { "1.23": "[ALPHA]", "1.30": "[BETA]", "1.36": "[BETA]" }],
  [
    "apiserver_flowcontrol_request_concurrency_limit",
    { "1.23": "[ALPHA]", "1.30": "[ALPHA] (Deprecated since 1.30.0)" },
  ],
  ["apiserver_flowcontrol_request_concurrency_in_use", { "1.23": "[ALPHA]", "1.30": "[ALPHA]" }],
  ["apiserver_flowcontrol_priority_level_request_count_samples", { "1.23": "[ALPHA]" }],
  ["apiserver_flowcontrol_read_vs_write_request_count_watermarks", { "1.23": "[ALPHA]" }],
  ["apiserver_flowcontrol_priority_level_request_utilization", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["apiserver_flowcontrol_demand_seats", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["apiserver_request_body_size_bytes", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
  ["etcd_object_counts", {}],
  ["etcd_requests_total", { "1.30": "[ALPHA]", "1.36": "[ALPHA]" }],
])("the metric %s", (name, stabilities) => {
  test.each(RELEASES)("has its stability at %s", (release) => {
    const help = helpOf(release, name);
    const expected = stabilities[release];
    if (expected === undefined) expect(help).toBeUndefined();
    else expect(help).toMatch(new RegExp(`^${expected.replaceAll(/[[\]().]/g, "\\$&")} [A-Z]`));
  });
});

test.each<[Release, string]>([
  ["1.23", 'apiserver_cache_list_total{resource_prefix="/configmaps",index=""} 1'],
  ["1.36", 'apiserver_cache_list_total{group="",resource="configmaps",index=""} 1'],
  ["1.36", 'apiserver_cache_list_returned_objects_total{group="",resource="configmaps"} 1'],
  ["1.36", 'apiserver_watch_cache_read_wait_seconds_count{group="",resource="configmaps"} 1'],
  [
    "1.36",
    'apiserver_watch_cache_consistent_read_total{group="",resource="configmaps",success="true",fallback="false"} 1',
  ],
  ["1.23", 'apiserver_init_events_total{resource="configmaps"} '],
  ["1.36", 'apiserver_init_events_total{group="",resource="configmaps"} '],
  ["1.30", 'apiserver_storage_events_received_total{resource="configmaps"} '],
  ["1.36", 'apiserver_storage_events_received_total{group="",resource="configmaps"} '],
  ["1.23", 'apiserver_watch_events_total{group="",version="v1",kind="ConfigMap"} '],
  ["1.36", 'apiserver_watch_events_total{group="",version="v1",resource="configmaps"} '],
  ["1.36", 'apiserver_resource_objects{group="apps",resource="deployments"} 0'],
  ["1.36", 'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} '],
  [
    "1.36",
    'apiserver_watch_list_duration_seconds_count{group="",version="v1",resource="configmaps",scope="namespace"} 1',
  ],
  ["1.36", 'apiserver_flowcontrol_current_executing_seats{priority_level="'],
  ["1.30", 'apiserver_flowcontrol_request_execution_seconds_count{priority_level="exempt",type="regular"} '],
  ["1.36", 'apiserver_flowcontrol_work_estimated_seats_bucket{le="1",priority_level="exempt"} '],
  ["1.36", 'apiserver_flowcontrol_watch_count_samples_count{priority_level="exempt",flow_schema="exempt"} '],
  ["1.36", 'apiserver_flowcontrol_priority_level_seat_utilization_count{phase="executing",priority_level="'],
  ["1.36", 'apiserver_flowcontrol_read_vs_write_current_requests_count{phase="waiting",request_kind="mutating"} '],
  ["1.23", 'apiserver_flowcontrol_read_vs_write_request_count_samples_count{phase="waiting",request_kind="mutating"} '],
  ["1.36", 'apiserver_current_inqueue_requests{request_kind="mutating"} 0'],
  ["1.36", 'apiserver_request_body_size_bytes_count{group="",resource="configmaps",verb="create"} 1'],
  ["1.30", 'apiserver_request_body_size_bytes_count{resource="configmaps",verb="create"} 1'],
  ["1.36", 'kube_apiserver_clusterip_allocator_allocation_total{scope="dynamic"} 1'],
  ["1.36", 'kube_apiserver_clusterip_allocator_allocation_errors_total{scope="static"} 1'],
  ["1.30", 'kube_apiserver_clusterip_allocator_allocated_ips{cidr="'],
  ["1.36", 'kube_apiserver_clusterip_allocator_available_ips{cidr="'],
  ["1.36", 'kube_apiserver_nodeport_allocator_allocation_total{scope="dynamic"} 1'],
  ["1.36", 'workqueue_adds_total{name="RemoteAvailabilityController"} 0'],
  ["1.23", 'workqueue_depth{name="RemoteAvailabilityController"} 0'],
  ["1.36", 'watch_cache_capacity{group="",resource="configmaps"} '],
  ["1.36", 'registered_metrics_total{stability_level="STABLE",deprecated_version="1.34.0"} 1'],
  ["1.36", 'apiserver_watch_cache_resource_version{group="",resource="configmaps"} '],
  ["1.36", 'version_info{component="kube",binary="1.36",emulation="1.36",min_compat="1.35"} 1'],
  ["1.23", 'apiserver_request_duration_seconds_bucket{le="0.15",verb="LIST",'],
  ["1.36", 'apiserver_request_duration_seconds_bucket{le="0.005",verb="LIST",'],
  [
    "1.36",
    'apiserver_request_sli_duration_seconds_count{verb="LIST",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"} 1',
  ],
])("at %s the metrics have %s", (release, series) => {
  const [name] = series.split("{") as [string];
  const found = textOf(release)
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`));
  // Labels are compared in any order.
  const labels = [...series.matchAll(/\w+="[^"]*"/g)].map(([label]) => label);
  const value = series.split("} ")[1] ?? "";
  const matching = found.filter((line) => labels.every((label) => line.includes(label)) && line.includes(`} ${value}`));
  expect(matching.length === 0 ? found.slice(0, 5) : "found").toBe("found");
});

test("allocated and free node ports are counted", () => {
  expect(textOf("1.36")).toMatch(/^kube_apiserver_nodeport_allocator_allocated_ports 1$/m);
  expect(textOf("1.36")).toMatch(/^kube_apiserver_nodeport_allocator_available_ports 2767$/m);
  expect(textOf("1.23")).not.toMatch(/^kube_apiserver_nodeport_allocator/m);
});

test("a counter of requests has no media type from 1.24 on", () => {
  expect(textOf("1.23")).toMatch(/^apiserver_request_total\{.*contentType=/m);
  expect(textOf("1.36")).not.toMatch(/^apiserver_request_total\{.*contentType=/m);
});

test("the latency without queues leaves out watches", () =>
  expect(textOf("1.36")).not.toMatch(/^apiserver_request_sli_duration_seconds_count\{verb="WATCH"/m));

test("compilations and evaluations of expressions are measured", async () => {
  const { admin } = started.at(-1) as { admin: ApiClient };
  const policy = {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
      },
      validations: [{ expression: "object.metadata.name != 'refused'" }],
    },
  };
  const group = "/apis/admissionregistration.orch.io/v1";
  expect((await admin.post(`${group}/validatingadmissionpolicies`, policy)).code).toBe(201);
  const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } };
  expect((await admin.post(`${group}/validatingadmissionpolicybindings`, binding)).code).toBe(201);
  while ((await admin.post(CONFIG_MAPS, configMap("refused"))).code === 201)
    await admin.delete(`${CONFIG_MAPS}/refused`);
  const count = (text: string, what: string) =>
    Number(new RegExp(`^apiserver_cel_${what}_duration_seconds_count (\\d+)$`, "m").exec(text)?.[1]);
  for (;;) {
    const { text } = await admin.get("/metrics");
    if (count(text, "compilation") >= 1 && count(text, "evaluation") >= 1) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
