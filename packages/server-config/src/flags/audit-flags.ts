// Options of audit: events, policy and backends. Source: Kubernetes documentation, "kube-apiserver" and "Auditing".
import { type FlagTable, section } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";

/** API version of audit events. In the other vocabulary it stands for the same version. */
export const DEFAULT_AUDIT_VERSION = `${vocabularyOf("orch").groups.audit}/v1`;

export const AUDIT_FLAGS = section("Audit", {
  "audit-policy-file": {
    type: "string",
    default: "",
    help: "which requests are audited, and how much of them; read again when it changes; empty: none",
  },
  "audit-changed-fields": {
    type: "bool",
    default: "false",
    help: "tells in the events of writes, as an annotation, the paths of the fields that the write changed",
  },
  "audit-log-path": { type: "string", default: "", help: "file of audit events, one a line; - is standard output" },
  "audit-log-format": {
    type: "string",
    default: "json",
    oneOf: ["json", "legacy"],
    help: "form of events in the file: json, or legacy, a line of text",
  },
  "audit-log-maxage": {
    type: "int",
    default: "0",
    min: 0,
    help: "days after which files that were set aside are deleted; 0: never",
  },
  "audit-log-maxbackup": {
    type: "int",
    default: "0",
    min: 0,
    help: "files that were set aside and are kept; 0: all",
  },
  "audit-log-maxsize": {
    type: "int",
    default: "0",
    min: 0,
    help: "MiB after which the file is set aside, under its name and the time, and another begun; 0: 100",
  },
  "audit-log-compress": { type: "bool", default: "false", help: "compresses files that were set aside" },
  "audit-log-version": {
    type: "string",
    default: DEFAULT_AUDIT_VERSION,
    help: "version of the events for the file",
  },
  "audit-log-mode": {
    type: "string",
    default: "blocking",
    oneOf: ["batch", "blocking", "blocking-strict"],
    help: "batch: events wait for others; blocking: they are written at once, and requests go on; blocking-strict: a request waits for its first event, and is refused where that cannot be written",
  },
  "audit-log-batch-buffer-size": {
    type: "int",
    default: "10000",
    min: 0,
    help: "events that may wait for the file in mode batch; more are lost, and counted",
  },
  "audit-log-batch-max-size": { type: "int", default: "1", min: 0, help: "events of one batch for the file" },
  "audit-log-batch-max-wait": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "time in which a batch for the file may become full",
  },
  "audit-log-batch-throttle-enable": {
    type: "bool",
    default: "false",
    help: "limits how many batches for the file there are in a second",
  },
  "audit-log-batch-throttle-qps": { type: "float", default: "0", min: 0, help: "batches a second for the file" },
  "audit-log-batch-throttle-burst": {
    type: "int",
    default: "0",
    min: 0,
    help: "batches at once for the file, after a pause",
  },
  "audit-log-truncate-enabled": {
    type: "bool",
    default: "false",
    help: "leaves bodies out of events for the file that are too large",
  },
  "audit-log-truncate-max-event-size": {
    type: "int",
    default: "102400",
    min: 0,
    help: "bytes of an event for the file; one that has more without its bodies is left out",
  },
  "audit-log-truncate-max-batch-size": {
    type: "int",
    default: "10485760",
    min: 0,
    help: "bytes of a batch for the file",
  },
  "audit-webhook-config-file": {
    type: "string",
    default: "",
    help: "client configuration file of a webhook that is sent audit events; read again when it changes",
  },
  "audit-webhook-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 0,
    help: "pause before events are sent again that the webhook did not take; each further one is longer by half",
  },
  "audit-webhook-version": {
    type: "string",
    default: DEFAULT_AUDIT_VERSION,
    help: "version of the events for the webhook",
  },
  "audit-webhook-mode": {
    type: "string",
    default: "batch",
    oneOf: ["batch", "blocking", "blocking-strict"],
    help: "batch: events wait for others, and requests go on; blocking: a request waits until its first event is received, or given up; blocking-strict: where it is given up, the request is refused",
  },
  "audit-webhook-batch-buffer-size": {
    type: "int",
    default: "10000",
    min: 0,
    help: "events that may wait for the webhook in mode batch; more are lost, and counted",
  },
  "audit-webhook-batch-max-size": {
    type: "int",
    default: "400",
    min: 0,
    help: "events of one batch for the webhook",
  },
  "audit-webhook-batch-max-wait": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "time in which a batch for the webhook may become full",
  },
  "audit-webhook-batch-throttle-enable": {
    type: "bool",
    default: "true",
    help: "limits how many batches for the webhook there are in a second",
  },
  "audit-webhook-batch-throttle-qps": {
    type: "float",
    default: "10",
    min: 0,
    help: "batches a second for the webhook",
  },
  "audit-webhook-batch-throttle-burst": {
    type: "int",
    default: "15",
    min: 0,
    help: "batches at once for the webhook, after a pause",
  },
  "audit-webhook-truncate-enabled": {
    type: "bool",
    default: "false",
    help: "leaves bodies out of events for the webhook that are too large",
  },
  "audit-webhook-truncate-max-event-size": {
    type: "int",
    default: "102400",
    min: 0,
    help: "bytes of an event for the webhook; one that has more without its bodies is left out",
  },
  "audit-webhook-truncate-max-batch-size": {
    type: "int",
    default: "10485760",
    min: 0,
    help: "bytes of a batch for the webhook",
  },
}) satisfies FlagTable;
