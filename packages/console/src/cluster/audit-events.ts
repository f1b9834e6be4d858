// Audit events as rows. The log may have been written by another program, so that any member may be missing.
import { typeName } from "@orch/access";
import { isRecord } from "../values/api-object";

/** Answer of `/debug/audit`. */
export interface AuditTail {
  readonly events: readonly unknown[];
  /** Lines that are no event. */
  readonly unreadable: number;
  readonly readBytes: number;
  /** Parameter for older events. */
  readonly continue?: string;
}

export interface AuditRow {
  readonly key: string;
  readonly time: string;
  readonly user: string;
  readonly verb: string;
  /** The object, or the path of another request. */
  readonly target: string;
  readonly code: string;
  readonly decision: string;
  readonly stage: string;
}

/** @param decisionKey annotation with the decision of authorization */
export function auditRow(event: unknown, decisionKey: string): AuditRow {
  const of = recordOf(event);
  const assumed = text(recordOf(of["impersonatedUser"])["username"]);
  const user = text(recordOf(of["user"])["username"]) || "unknown";
  const [stage, time] = [text(of["stage"]), text(of["stageTimestamp"])];
  return {
    key: `${text(of["auditID"])} ${stage} ${time}`,
    time,
    user: assumed === "" ? user : `${user} as ${assumed}`,
    verb: text(of["verb"]),
    target: targetOf(recordOf(of["objectRef"])) || text(of["requestURI"]),
    code: text(recordOf(of["responseStatus"])["code"]),
    decision: text(recordOf(of["annotations"])[decisionKey]),
    stage,
  };
}

function targetOf(reference: Readonly<Record<string, unknown>>): string {
  const resource = text(reference["resource"]);
  if (resource === "") return "";
  const [group, subresource] = [text(reference["apiGroup"]), text(reference["subresource"])];
  const place = [reference["namespace"], reference["name"]].map(text).filter((part) => part !== "");
  return [typeName({ resource, group, subresource }), place.join("/")].filter((part) => part !== "").join(" ");
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");
