import { expect, test } from "@jest/globals";
import { ControllerStates } from "../manager/controller-states";
import { ManagerMetrics } from "./manager-metrics";

const HEALTH = { healthcheck: "kubernetes_healthcheck", healthchecksTotal: "kubernetes_healthchecks_total" };

test("health checks are measured apart from the rest", async () => {
  const metrics = new ManagerMetrics({
    name: "m",
    leads: () => true,
    states: new ControllerStates([]),
    health: HEALTH,
  });
  metrics.checked("leaderElection", "livez", true);
  metrics.checked("leaderElection", "livez", false);
  const text = await metrics.renderHealth();
  expect(text).toContain('kubernetes_healthcheck{name="leaderElection",type="livez"} 0');
  expect(text).toContain('kubernetes_healthchecks_total{name="leaderElection",type="livez",status="success"} 1');
  expect(text).toContain('kubernetes_healthchecks_total{name="leaderElection",type="livez",status="error"} 1');
  expect(await metrics.render()).not.toContain("kubernetes_healthcheck");
});

test("queues, requests and leadership are measured under the names of Kubernetes", async () => {
  const states = new ControllerStates(["namespace", "garbagecollector"]);
  states.set("namespace", { kind: "working" });
  const metrics = new ManagerMetrics({ name: "manager", leads: () => true, states, health: HEALTH });
  const queue = metrics.queue("namespace");
  queue.made({ longestWorkMs: 1500, unfinishedWorkMs: 2500 });
  queue.depth(3);
  queue.added();
  queue.retried();
  queue.taken(0.05);
  queue.done(0.5);
  const place = { method: "GET", host: "server:6443", url: "https://server:6443/api/v1/pods" };
  metrics.client.heldBack(place, 0);
  metrics.client.tried(place, "200", 0.003, "/api/v1/pods");
  metrics.client.tried(place, "<error>", 1, "/api/v1/pods");
  const lines = new Set((await metrics.render()).split("\n"));
  for (const line of [
    "# HELP workqueue_depth [BETA] Queued items.",
    'workqueue_depth{name="namespace"} 3',
    'workqueue_adds_total{name="namespace"} 1',
    'workqueue_retries_total{name="namespace"} 1',
    'workqueue_longest_running_processor_seconds{name="namespace"} 1.5',
    'workqueue_unfinished_work_seconds{name="namespace"} 2.5',
    'workqueue_queue_duration_seconds_bucket{name="namespace",le="0.1"} 1',
    'workqueue_work_duration_seconds_count{name="namespace"} 1',
    'rest_client_requests_total{code="200",method="GET",host="server:6443"} 1',
    'rest_client_requests_total{code="<error>",method="GET",host="server:6443"} 1',
    'rest_client_request_duration_seconds_count{verb="GET",url="https://server:6443/api/v1/pods"} 2',
    'rest_client_rate_limiter_duration_seconds_count{verb="GET",url="https://server:6443/api/v1/pods"} 1',
    'leader_election_master_status{name="manager"} 1',
    'running_managed_controllers{name="namespace",manager="manager"} 1',
    'running_managed_controllers{name="garbagecollector",manager="manager"} 0',
  ])
    expect(lines).toContain(line);
});

test("credential plugins are measured under the names of Kubernetes", async () => {
  const metrics = new ManagerMetrics({
    ...{ name: "m", leads: () => true, health: HEALTH },
    states: new ControllerStates([]),
  });
  const lines = async () => (await metrics.render()).split("\n");
  expect(await lines()).toContain("rest_client_exec_plugin_ttl_seconds +Inf");
  const { plugins } = metrics.client;
  plugins?.judged("allowed");
  plugins?.called("no_error", 0);
  plugins?.called("plugin_execution_error", 3);
  plugins?.rotated(5000);
  plugins?.expires(0);
  const found = await lines();
  for (const line of [
    'rest_client_exec_plugin_call_total{code="0",call_status="no_error"} 1',
    'rest_client_exec_plugin_call_total{code="3",call_status="plugin_execution_error"} 1',
    'rest_client_exec_plugin_policy_call_total{status="allowed"} 1',
    'rest_client_exec_plugin_certificate_rotation_age_bucket{le="3600"} 0',
    'rest_client_exec_plugin_certificate_rotation_age_bucket{le="14400"} 1',
  ])
    expect(found).toContain(line);
  expect(found.some((line) => /^rest_client_exec_plugin_ttl_seconds -\d/.test(line))).toBe(true);
});

test("the controllers for devices are measured under the names of Kubernetes", async () => {
  const metrics = new ManagerMetrics({
    ...{ name: "m", leads: () => true, health: HEALTH },
    states: new ControllerStates([]),
  });
  const { devices } = metrics;
  let claims = 3;
  devices.claimCreated({ succeeded: true, adminAccess: false });
  devices.claimCreated({ succeeded: false, adminAccess: true });
  devices.countClaims(() => [{ allocated: claims > 2, adminAccess: false, source: "resource_claim_template", claims }]);
  devices.podEvicted(2);
  devices.requestProcessed("d", { seconds: 0.003, succeeded: false });
  const lines = async () => new Set((await metrics.render()).split("\n"));
  const claimLine = (allocated: boolean, count: number) =>
    `resourceclaim_controller_resource_claims{allocated="${allocated}",admin_access="false",source="resource_claim_template"} ${count}`;
  const found = await lines();
  for (const line of [
    'resourceclaim_controller_creates_total{status="success",admin_access="false"} 1',
    'resourceclaim_controller_creates_total{status="failure",admin_access="true"} 1',
    claimLine(true, 3),
    "device_taint_eviction_controller_pod_deletions_total 1",
    'device_taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="2.5"} 1',
    'resourcepoolstatusrequest_controller_requests_processed_total{driver_name="d"} 1',
    'resourcepoolstatusrequest_controller_request_processing_errors_total{driver_name="d"} 1',
    'resourcepoolstatusrequest_controller_request_processing_duration_seconds_bucket{driver_name="d",le="0.004"} 1',
  ])
    expect(found).toContain(line);
  claims = 1;
  const later = await lines();
  expect([later.has(claimLine(true, 3)), later.has(claimLine(false, 1))]).toEqual([false, true]);
});
