// Options of audit: events, policy and backends. Source: Kubernetes documentation, "kube-apiserver" and "Auditing".
import { type FlagTable, section } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";

/** API version of audit events. In the other vocabulary it stands for the same version. */
export const DEFAULT_AUDIT_VERSION = `${vocabularyOf("orch").groups.audit}/v1`;

export const AUDIT_FLAGS = section("Audit", {
  "audit-policy-file": {
    type: "string",
    default: "",
    help: "file with the audit policy: which requests are audited, at which level; reloaded when it changes; empty: no audit",
  },
  "audit-changed-fields": {
    type: "bool",
    default: "false",
    help: "adds the paths of the changed fields to the audit events of writes, as an annotation",
  },
  "audit-log-path": { type: "string", default: "", help: "file for audit events, one per line; -: standard output" },
  "audit-log-format": {
    type: "string",
    default: "json",
    oneOf: ["json", "legacy"],
    help: "format of events in the file: json, or legacy for a line of text",
  },
  "audit-log-maxage": {
    type: "int",
    default: "0",
    min: 0,
    help: "days after which rotated files are deleted; 0: never",
  },
  "audit-log-maxbackup": {
    type: "int",
    default: "0",
    min: 0,
    help: "number of rotated files that are kept; 0: all",
  },
  "audit-log-maxsize": {
    type: "int",
    default: "0",
    min: 0,
    help: "size in MiB at which the file is rotated; 0: 100",
  },
  "audit-log-compress": { type: "bool", default: "false", help: "compresses rotated files" },
  "audit-log-version": {
    type: "string",
    default: DEFAULT_AUDIT_VERSION,
    help: "API version of events in the file",
  },
  "audit-log-mode": {
    type: "string",
    default: "blocking",
    oneOf: ["batch", "blocking", "blocking-strict"],
    help: "batch: buffers events and writes them in batches; blocking: writes each event at once without delaying requests; blocking-strict: a request waits for its first event and fails when it cannot be written",
  },
  "audit-log-batch-buffer-size": {
    type: "int",
    default: "10000",
    min: 0,
    help: "number of events buffered for the file in mode batch; further events are dropped and counted",
  },
  "audit-log-batch-max-size": {
    type: "int",
    default: "1",
    min: 0,
    help: "maximum number of events per batch for the file",
  },
  "audit-log-batch-max-wait": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "maximum wait before an incomplete batch is written to the file",
  },
  "audit-log-batch-throttle-enable": {
    type: "bool",
    default: "false",
    help: "limits the rate of batches for the file",
  },
  "audit-log-batch-throttle-qps": {
    type: "float",
    default: "0",
    min: 0,
    help: "maximum batches per second for the file",
  },
  "audit-log-batch-throttle-burst": {
    type: "int",
    default: "0",
    min: 0,
    help: "burst of batches for the file",
  },
  "audit-log-truncate-enabled": {
    type: "bool",
    default: "false",
    help: "truncates events for the file that are too large: removes request and response bodies",
  },
  "audit-log-truncate-max-event-size": {
    type: "int",
    default: "102400",
    min: 0,
    help: "maximum size in bytes of an event for the file; an event that is larger without its bodies is dropped",
  },
  "audit-log-truncate-max-batch-size": {
    type: "int",
    default: "10485760",
    min: 0,
    help: "maximum size in bytes of a batch for the file",
  },
  "audit-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of a webhook that receives audit events; reloaded when it changes",
  },
  "audit-webhook-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 0,
    help: "delay before the first retry of a failed call of the webhook; each further delay is longer by half",
  },
  "audit-webhook-version": {
    type: "string",
    default: DEFAULT_AUDIT_VERSION,
    help: "API version of events for the webhook",
  },
  "audit-webhook-mode": {
    type: "string",
    default: "batch",
    oneOf: ["batch", "blocking", "blocking-strict"],
    help: "batch: buffers events and sends them in batches without delaying requests; blocking: a request waits until its first event is delivered or has failed; blocking-strict: the request also fails when the event has failed",
  },
  "audit-webhook-batch-buffer-size": {
    type: "int",
    default: "10000",
    min: 0,
    help: "number of events buffered for the webhook in mode batch; further events are dropped and counted",
  },
  "audit-webhook-batch-max-size": {
    type: "int",
    default: "400",
    min: 0,
    help: "maximum number of events per batch for the webhook",
  },
  "audit-webhook-batch-max-wait": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "maximum wait before an incomplete batch is sent to the webhook",
  },
  "audit-webhook-batch-throttle-enable": {
    type: "bool",
    default: "true",
    help: "limits the rate of batches for the webhook",
  },
  "audit-webhook-batch-throttle-qps": {
    type: "float",
    default: "10",
    min: 0,
    help: "maximum batches per second for the webhook",
  },
  "audit-webhook-batch-throttle-burst": {
    type: "int",
    default: "15",
    min: 0,
    help: "burst of batches for the webhook",
  },
  "audit-webhook-truncate-enabled": {
    type: "bool",
    default: "false",
    help: "truncates events for the webhook that are too large: removes request and response bodies",
  },
  "audit-webhook-truncate-max-event-size": {
    type: "int",
    default: "102400",
    min: 0,
    help: "maximum size in bytes of an event for the webhook; an event that is larger without its bodies is dropped",
  },
  "audit-webhook-truncate-max-batch-size": {
    type: "int",
    default: "10485760",
    min: 0,
    help: "maximum size in bytes of a batch for the webhook",
  },
}) satisfies FlagTable;
