// Series for which each alert of deploy/prometheus/rules.yaml fires, and similar series for which it does not.
// The notation is that of promtool: `0+60x30` begins at 0 and adds 60 for each of 30 steps. Without a repetition, a series
// has one value for the whole test.
//
// Source: Prometheus documentation, "Unit Testing for Rules".

export interface AlertCase {
  readonly alert: string;
  readonly fires: Series;
  readonly staysQuiet: Series;
  /** Length of the test and of a step. Default: 90 steps of a minute. */
  readonly steps?: { readonly minutes: number; readonly count: number };
}

/** Values by series. */
export type Series = Readonly<Record<string, string>>;

const API = 'job="orch-apiserver",instance="a"';
const API_B = 'job="orch-apiserver",instance="b"';
const MANAGER = 'job="orch-controller-manager",instance="c"';
const ETCD = 'job="etcd",instance="e"';

const requests = (failed: string, all = "0+600x2000"): Series => ({
  [`apiserver_request_total{${API},verb="GET",code="200"}`]: all,
  [`apiserver_request_total{${API},verb="GET",code="500"}`]: failed,
});

/** Requests of which `slow` per step take longer than 2 s, of 600. */
const durations = (verb: string, fast: string): Series => {
  const labels = `${API},verb="${verb}",subresource=""`;
  return {
    [`apiserver_request_duration_seconds_bucket{${labels},le="1"}`]: fast,
    // The form of Prometheus 3.
    [`apiserver_request_duration_seconds_bucket{${labels},le="5.0"}`]: fast,
    [`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"}`]: "0+600x2000",
    [`apiserver_request_duration_seconds_count{${labels}}`]: "0+600x2000",
  };
};

/** A histogram of which nothing, or everything, is at most `bound`. */
const histogram = (name: string, labels: string, { bound, isSlow }: { bound: number; isSlow: boolean }): Series => ({
  [`${name}_bucket{${labels},le="${bound}"}`]: isSlow ? "0x200" : "0+60x200",
  [`${name}_bucket{${labels},le="30"}`]: "0+60x200",
  [`${name}_bucket{${labels},le="+Inf"}`]: "0+60x200",
});

/** A counter that grows, and one that stands still. */
const counter = (series: string): Pick<AlertCase, "fires" | "staysQuiet"> => ({
  fires: { [series]: "0+10x200" },
  staysQuiet: { [series]: "7x200" },
});

const gauge = (series: string, high: string, low: string): Pick<AlertCase, "fires" | "staysQuiet"> => ({
  fires: { [series]: `${high}x200` },
  staysQuiet: { [series]: `${low}x200` },
});

const SEATS = `${API},priority_level="workload-low"`;
const WEBHOOK = `${API},name="w",type="validating"`;
const QUARTERS = { minutes: 15, count: 60 };

export const ALERT_CASES: readonly AlertCase[] = [
  { alert: "OrchErrorBudgetBurnsFast", fires: requests("0+12x200"), staysQuiet: requests("0+1x200") },
  {
    alert: "OrchErrorBudgetBurnsSlowly",
    fires: requests("0+2x2000"),
    staysQuiet: requests("0x2000"),
    steps: QUARTERS,
  },
  {
    alert: "OrchErrorBudgetSpent",
    fires: requests("0+2x2000"),
    staysQuiet: requests("0x50 0+2x2 4x1000"),
    steps: QUARTERS,
  },
  {
    alert: "OrchLatencyBudgetBurnsFast",
    fires: durations("GET", "0+480x200"),
    staysQuiet: durations("GET", "0+590x200"),
  },
  {
    alert: "OrchLatencyBudgetBurnsSlowly",
    fires: durations("LIST", "0+570x2000"),
    staysQuiet: durations("LIST", "0+599x2000"),
    steps: QUARTERS,
  },
  { alert: "OrchApiServerDown", ...gauge(`up{${API}}`, "0", "1") },
  {
    alert: "OrchApiServersAllDown",
    fires: { [`up{${API}}`]: "0x200", [`up{${API_B}}`]: "0x200" },
    staysQuiet: { [`up{${API}}`]: "0x200", [`up{${API_B}}`]: "1x200" },
  },
  { alert: "OrchEventLoopBlocked", ...gauge(`nodejs_eventloop_lag_p99_seconds{${API}}`, "0.4", "0.02") },
  {
    alert: "OrchMemoryGrows",
    fires: {
      [`process_resident_memory_bytes{${API}}`]: "300000000+20000000x100",
      [`apiserver_storage_objects{${API},resource="pods"}`]: "100x100",
    },
    // The number of objects grows as well and explains the memory.
    staysQuiet: {
      [`process_resident_memory_bytes{${API}}`]: "300000000+20000000x100",
      [`apiserver_storage_objects{${API},resource="pods"}`]: "100+20x100",
    },
    steps: QUARTERS,
  },
  {
    alert: "OrchConnectionsRefused",
    fires: counter(`apiserver_connections_closed_total{${API},reason="room"}`).fires,
    staysQuiet: counter(`apiserver_connections_closed_total{${API},reason="idleness"}`).fires,
  },
  { alert: "OrchLogLinesLost", ...counter(`apiserver_log_lines_lost_total{${API}}`) },
  {
    alert: "OrchRequestsRejected",
    fires: { ...requests("0x200"), [`apiserver_request_total{${API},verb="GET",code="429"}`]: "0+12x200" },
    staysQuiet: { ...requests("0x200"), [`apiserver_request_total{${API},verb="GET",code="429"}`]: "0+1x200" },
  },
  {
    alert: "OrchRequestsWait",
    fires: histogram("apiserver_flowcontrol_request_wait_duration_seconds", SEATS, { bound: 2, isSlow: true }),
    staysQuiet: histogram("apiserver_flowcontrol_request_wait_duration_seconds", SEATS, { bound: 2, isSlow: false }),
  },
  {
    alert: "OrchSeatsExhausted",
    fires: {
      [`apiserver_flowcontrol_current_executing_seats{${SEATS},flow_schema="x"}`]: "30x200",
      [`apiserver_flowcontrol_current_executing_seats{${SEATS},flow_schema="y"}`]: "19x200",
      [`apiserver_flowcontrol_current_limit_seats{${SEATS}}`]: "50x200",
    },
    staysQuiet: {
      [`apiserver_flowcontrol_current_executing_seats{${SEATS},flow_schema="x"}`]: "30x200",
      [`apiserver_flowcontrol_current_limit_seats{${SEATS}}`]: "50x200",
    },
  },
  { alert: "OrchWatchCacheBehind", ...gauge(`apiserver_watch_cache_lag_seconds{${API}}`, "40", "3") },
  { alert: "OrchWatchCacheDisconnected", ...gauge(`apiserver_watch_cache_connected{${API}}`, "0", "1") },
  {
    alert: "OrchStoreSlow",
    fires: histogram("etcd_request_duration_seconds", `${API},operation="txn"`, { bound: 1, isSlow: true }),
    staysQuiet: histogram("etcd_request_duration_seconds", `${API},operation="txn"`, { bound: 1, isSlow: false }),
  },
  { alert: "OrchEtcdMemberDown", ...gauge(`up{${ETCD}}`, "0", "1") },
  { alert: "OrchEtcdWithoutLeader", ...gauge(`etcd_server_has_leader{${ETCD}}`, "0", "1") },
  {
    alert: "OrchEtcdDiskSlow",
    fires: histogram("etcd_disk_wal_fsync_duration_seconds", ETCD, { bound: 0.5, isSlow: true }),
    staysQuiet: histogram("etcd_disk_wal_fsync_duration_seconds", ETCD, { bound: 0.5, isSlow: false }),
  },
  {
    alert: "OrchStoreNearlyFull",
    fires: {
      [`etcd_mvcc_db_total_size_in_bytes{${ETCD}}`]: "1900000000x200",
      [`etcd_server_quota_backend_bytes{${ETCD}}`]: "2147483648x200",
    },
    staysQuiet: {
      [`etcd_mvcc_db_total_size_in_bytes{${ETCD}}`]: "1000000000x200",
      [`etcd_server_quota_backend_bytes{${ETCD}}`]: "2147483648x200",
    },
  },
  // The embedded store.
  {
    alert: "OrchStoreNearlyFull",
    fires: {
      [`apiserver_storage_available_bytes{${API},storage_cluster_id="etcd-0"}`]: "50000000x200",
      [`apiserver_storage_size_bytes{${API},storage_cluster_id="etcd-0"}`]: "1000000000x200",
    },
    staysQuiet: {
      [`apiserver_storage_available_bytes{${API},storage_cluster_id="etcd-0"}`]: "5000000000x200",
      [`apiserver_storage_size_bytes{${API},storage_cluster_id="etcd-0"}`]: "1000000000x200",
    },
  },
  {
    alert: "OrchStoreAlarm",
    ...gauge(`apiserver_storage_alarm{${API},storage_cluster_id="etcd-0",alarm="NOSPACE"}`, "1", "0"),
  },
  {
    alert: "OrchCompactionStuck",
    fires: {
      [`apiserver_storage_compaction_last_success_timestamp_seconds{${API},storage_cluster_id="etcd-0"}`]: "60x200",
    },
    // One server that does not know of the last rounds is not the state of the store.
    staysQuiet: {
      [`apiserver_storage_compaction_last_success_timestamp_seconds{${API},storage_cluster_id="etcd-0"}`]: "60x200",
      [`apiserver_storage_compaction_last_success_timestamp_seconds{${API_B},storage_cluster_id="etcd-0"}`]: "0+60x200",
    },
  },
  {
    alert: "OrchCompactionStuck",
    ...counter(`apiserver_storage_compaction_failures_total{${API},storage_cluster_id="etcd-0"}`),
  },
  {
    alert: "OrchUnreadableObjects",
    ...gauge(`apiserver_storage_unreadable_objects{${API},resource="pods"}`, "2", "0"),
  },
  {
    alert: "OrchCertificateExpiresSoon",
    ...gauge(`apiserver_certificate_expiration_timestamp_seconds{${API},option="tls-cert-file"}`, "864000", "8640000"),
  },
  {
    alert: "OrchCertificateExpiresNow",
    ...gauge(`apiserver_certificate_expiration_timestamp_seconds{${API},option="tls-cert-file"}`, "90000", "864000"),
  },
  {
    alert: "OrchClientCertificateExpiresSoon",
    ...counter(`apiserver_client_certificate_expiration_seconds_bucket{${API},le="604800"}`),
  },
  {
    alert: "OrchReloadFails",
    fires: { [`apiserver_configuration_reloads_total{${API},option="tls-cert-file",result="failure"}`]: "0x60 1x40" },
    // A later success.
    staysQuiet: {
      [`apiserver_configuration_reloads_total{${API},option="tls-cert-file",result="failure"}`]: "0x60 1x40",
      [`apiserver_configuration_reloads_total{${API},option="tls-cert-file",result="success"}`]: "0x70 1x30",
    },
  },
  { alert: "OrchWebhookCircuitOpen", ...gauge(`apiserver_admission_webhook_circuit_broken{${WEBHOOK}}`, "1", "0") },
  {
    alert: "OrchWebhookSlow",
    fires: histogram("apiserver_admission_webhook_admission_duration_seconds", WEBHOOK, { bound: 1, isSlow: true }),
    staysQuiet: histogram("apiserver_admission_webhook_admission_duration_seconds", WEBHOOK, {
      bound: 1,
      isSlow: false,
    }),
  },
  {
    alert: "OrchWebhookFails",
    fires: counter(`apiserver_admission_webhook_rejection_count{${WEBHOOK},error_type="calling_webhook_error"}`).fires,
    staysQuiet: counter(`apiserver_admission_webhook_rejection_count{${WEBHOOK},error_type="no_error"}`).fires,
  },
  { alert: "OrchWebhookFails", ...counter(`apiserver_admission_webhook_fail_open_count{${WEBHOOK}}`) },
  {
    alert: "OrchConversionWebhookFails",
    fires: counter(`apiserver_conversion_webhook_request_total{${API},result="failure",failure_type="x"}`).fires,
    staysQuiet: counter(`apiserver_conversion_webhook_request_total{${API},result="success",failure_type=""}`).fires,
  },
  {
    alert: "OrchAggregatedApiUnavailable",
    ...gauge(`aggregator_unavailable_apiservice{${API},name="v1.x"}`, "1", "0"),
  },
  { alert: "OrchAuditEventsLost", ...counter(`apiserver_audit_error_total{${API},plugin="log"}`) },
  { alert: "OrchAuditEventsLost", ...counter(`apiserver_audit_requests_rejected_total{${API}}`) },
  {
    alert: "OrchEncryptionFails",
    fires: counter(
      `apiserver_storage_transformation_operations_total{${API},transformation_type="to_storage",status="Unknown"}`,
    ).fires,
    staysQuiet: counter(
      `apiserver_storage_transformation_operations_total{${API},transformation_type="to_storage",status="OK"}`,
    ).fires,
  },
  {
    alert: "OrchKeyServiceFails",
    fires: counter(
      `apiserver_envelope_encryption_kms_operations_latency_seconds_count{${API},provider_name="p",grpc_status_code="Unavailable"}`,
    ).fires,
    staysQuiet: counter(
      `apiserver_envelope_encryption_kms_operations_latency_seconds_count{${API},provider_name="p",grpc_status_code="OK"}`,
    ).fires,
  },
  { alert: "OrchControllerManagerDown", ...gauge(`up{${MANAGER}}`, "0", "1") },
  {
    alert: "OrchControllerLeaderMissing",
    fires: { [`up{${MANAGER}}`]: "1x200", [`leader_election_master_status{${MANAGER}}`]: "0x200" },
    staysQuiet: {
      [`up{${MANAGER}}`]: "1x200",
      [`leader_election_master_status{${MANAGER}}`]: "0x200",
      'leader_election_master_status{job="orch-controller-manager",instance="d"}': "1x200",
    },
  },
  {
    alert: "OrchControllerQueueGrows",
    fires: { [`workqueue_depth{${MANAGER},name="q"}`]: "0+50x200" },
    // A queue that is emptied again and again.
    staysQuiet: {
      [`workqueue_depth{${MANAGER},name="q"}`]:
        "500x5 0 500x5 0 500x5 0 500x5 0 500x5 0 500x5 0 500x5 0 500x5 0 500x50",
    },
    steps: { minutes: 1, count: 45 },
  },
  {
    alert: "OrchBackupOld",
    fires: { [`apiserver_backup_last_success_timestamp_seconds{${API}}`]: "60x400" },
    staysQuiet: { [`apiserver_backup_last_success_timestamp_seconds{${API}}`]: "0+1800x400" },
    steps: { minutes: 30, count: 400 },
  },
  { alert: "OrchBackupFails", ...gauge(`apiserver_backup_last_attempt_failed{${API}}`, "1", "0") },
];
