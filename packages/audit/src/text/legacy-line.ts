// Encodes an event as one line of text, the legacy format of audit logs. Source:
// staging/src/k8s.io/apiserver/pkg/audit/format.go.
import { namesNoResource } from "@orch/request";
import type { AuditEvent } from "../event/audit-event";
import { shortTime } from "./micro-time";
import { sourceAddresses } from "./source-addresses";
import { withoutSecrets } from "./uri-secrets";

export function legacyLine({ request, stage, code, impersonated, answered }: AuditEvent): string {
  const { info, user } = request;
  const said = {
    id: one(request.id),
    stage: one(stage),
    ip: one(sourceAddresses(request)[0] ?? "<unknown>"),
    method: one(info.verb),
    user: one(user.name || "<none>"),
    groups: many(user.groups, "<none>"),
    as: one(impersonated?.name ?? "<self>"),
    asgroups: many(impersonated?.groups ?? [], "<lookup>"),
    namespace: one((!namesNoResource(info) && info.namespace) || "<none>"),
    uri: one(withoutSecrets(request.uri)),
    response: one(code === undefined ? "<deferred>" : String(answered ? code : 200)),
  };
  const fields = Object.entries(said).map(([name, text]) => `${name}=${text}`);
  return `${shortTime(request.receivedAt)} AUDIT: ${fields.join(" ")}`;
}

const one = (text: string): string => JSON.stringify(text);

const many = (texts: readonly string[], none: string): string =>
  texts.length === 0 ? one(none) : texts.map(one).join(",");
