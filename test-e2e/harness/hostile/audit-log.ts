// A log that is expensive to read, and requests for its end.
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "../processes";
import { type HostileInput, MEBIBYTE, read, times } from "./requests";

/** Writes the log and a policy that adds nothing to it. @returns the flags of the server */
export function hostileAuditLog(workplace: Workplace): readonly string[] {
  const folder = workplace.folder();
  const policy = join(folder, "policy.json");
  const rules = [{ level: "None" }];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  const log = join(folder, "audit.log");
  const text = "x".repeat(3 * MEBIBYTE);
  writeFileSync(log, "");
  truncateSync(log, 1024 * MEBIBYTE); // sparse
  const lines = [
    "",
    "no JSON ".repeat(100_000),
    ...times(20_000, () => "no JSON"),
    ...times(20_000, (at) => `{"auditID":"${at}"`),
    "\n".repeat(MEBIBYTE),
    JSON.stringify({ auditID: "text", requestObject: { text } }),
    `{"auditID":"deep","requestObject":${"[".repeat(MEBIBYTE)}${"]".repeat(MEBIBYTE)}}`,
    JSON.stringify({ auditID: "uri", requestURI: text }),
    JSON.stringify({ auditID: "members", annotations: Object.fromEntries(times(15_000, (at) => [`k${at}`, ""])) }),
  ];
  appendFileSync(log, `${lines.join("\n")}\n`);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
}

export const HOSTILE_AUDIT_READS: readonly HostileInput[] = [
  {
    what: "the tail of an audit log with lines of megabytes, lines that are no JSON, and a gigabyte without lines",
    size: 500,
    request: (size) => read(`/debug/audit?limit=${size}`),
    expects: 200,
  },
  {
    what: "a filter of an audit log",
    size: 60_000,
    request: (size) => read(`/debug/audit?user=${"a".repeat(size)}&resource=${".".repeat(1000)}`),
    expects: 200,
  },
  {
    what: "thousands of filters of an audit log",
    size: 60_000,
    request: (size) => read(`/debug/audit?${"verb=&".repeat(size / 6)}`),
    expects: 400,
  },
  {
    what: "a filter of an audit log with 3 MiB",
    size: 3 * MEBIBYTE,
    request: (size) => read(`/debug/audit?user=${"a".repeat(size)}`),
    expects: 431,
  },
];
