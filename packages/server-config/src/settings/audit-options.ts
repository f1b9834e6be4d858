// Validates the audit options that can be checked without reading a file. Source:
// staging/src/k8s.io/apiserver/pkg/server/options/audit.go.
import { apiVersionsIn } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { DEFAULT_AUDIT_VERSION } from "../flags/audit-flags";
import type { ServerConfig } from "../flags/server-flags";

export type AuditSinkName = "log" | "webhook";

/** Old versions are accepted before this release. */
const OLD_VERSIONS = { until: "1.23" };
const VERSIONS = { v1: {}, v1beta1: OLD_VERSIONS, v1alpha1: OLD_VERSIONS } as const;

/** Versions of audit policies and events in a release, with their group. */
export const auditVersions = ({
  vocabulary,
  release,
}: {
  readonly vocabulary: Vocabulary;
  readonly release: string;
}): readonly string[] => apiVersionsIn(vocabulary.groups.audit, VERSIONS, release);

/** @returns one line per error */
export function auditOptionErrors(config: ServerConfig, vocabulary: Vocabulary, release: string): string[] {
  const versions = auditVersions({ vocabulary, release });
  return (["log", "webhook"] as const).flatMap((sink) => {
    const of = sinkOptions(config, sink);
    const errors: string[] = [];
    const flag = `--audit-${sink}`;
    const version = versionOf(config, sink, vocabulary);
    if (!versions.includes(version)) {
      errors.push(`${flag}-version: ${JSON.stringify(version)} is not one of ${versions.join(", ")}`);
    }
    if (of.mode === "batch") {
      if (of["batch-buffer-size"] < 1) errors.push(`${flag}-batch-buffer-size: must be at least 1`);
      if (of["batch-max-size"] < 1) errors.push(`${flag}-batch-max-size: must be at least 1`);
      if (of["batch-throttle-enable"]) {
        if (of["batch-throttle-qps"] <= 0) errors.push(`${flag}-batch-throttle-qps: must be more than 0`);
        if (of["batch-throttle-burst"] < 1) errors.push(`${flag}-batch-throttle-burst: must be at least 1`);
      }
    }
    if (of["truncate-enabled"]) {
      const [event, batch] = [of["truncate-max-event-size"], of["truncate-max-batch-size"]];
      if (event < 1) errors.push(`${flag}-truncate-max-event-size: must be at least 1`);
      if (batch <= event) {
        errors.push(`${flag}-truncate-max-batch-size: must be more than --audit-${sink}-truncate-max-event-size`);
      }
    }
    return errors;
  });
}

/** Warns of options that have no effect. */
export function auditOptionWarnings(config: ServerConfig): string[] {
  const hasSink = config["audit-log-path"] !== "" || config["audit-webhook-config-file"] !== "";
  const hasPolicy = config["audit-policy-file"] !== "";
  if (hasSink && !hasPolicy) return ["no audit events are recorded: --audit-policy-file is not set"];
  return hasPolicy && !hasSink
    ? ["--audit-policy-file has no effect without --audit-log-path or --audit-webhook-config-file"]
    : [];
}

export const isAudited = (config: ServerConfig): boolean =>
  config["audit-policy-file"] !== "" && (config["audit-log-path"] !== "" || config["audit-webhook-config-file"] !== "");

/** The default is written in one vocabulary and stands for the same version in the other. */
export function versionOf(config: ServerConfig, sink: AuditSinkName, { groups }: Vocabulary): string {
  const version = config[`audit-${sink}-version`];
  return version === DEFAULT_AUDIT_VERSION ? `${groups.audit}/v1` : version;
}

/** Options of one sink, without the sink's name. */
export const sinkOptions = (config: ServerConfig, sink: AuditSinkName) => ({
  mode: config[`audit-${sink}-mode`],
  "batch-buffer-size": config[`audit-${sink}-batch-buffer-size`],
  "batch-max-size": config[`audit-${sink}-batch-max-size`],
  "batch-max-wait": config[`audit-${sink}-batch-max-wait`],
  "batch-throttle-enable": config[`audit-${sink}-batch-throttle-enable`],
  "batch-throttle-qps": config[`audit-${sink}-batch-throttle-qps`],
  "batch-throttle-burst": config[`audit-${sink}-batch-throttle-burst`],
  "truncate-enabled": config[`audit-${sink}-truncate-enabled`],
  "truncate-max-event-size": config[`audit-${sink}-truncate-max-event-size`],
  "truncate-max-batch-size": config[`audit-${sink}-truncate-max-batch-size`],
});
