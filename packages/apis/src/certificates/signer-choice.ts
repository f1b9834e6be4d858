// Default signer of v1beta1 requests, chosen by their content. Source: pkg/apis/certificates/v1beta1/defaults.go.

import { objectAt, objectsAt } from "@orch/apis-model";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { parseSigningRequest, type SigningRequest } from "./signing-request";

/** Sets the signer name, and the status "True" of conditions without a status. */
export function chooseSigner(request: JsonObject, vocabulary: Vocabulary): void {
  const spec = objectAt(request, "spec");
  if (spec["signerName"] == null) spec["signerName"] = vocabulary.signers[signerOf(spec)];
  for (const condition of objectsAt(objectAt(request, "status"), "conditions")) condition["status"] ||= "True";
}

type Signer = "apiserverClientAgent" | "agentServing" | "legacyUnknown";

function signerOf({ request, usages }: JsonObject): Signer {
  const text = typeof request === "string" ? Buffer.from(request, "base64").toString("latin1") : "";
  const asked = parseSigningRequest(text);
  if (asked === undefined || !isOfNode(asked) || !Array.isArray(usages)) return "legacyUnknown";
  if (asked.alternatives.length === 0 && areExactly(usages, [...OF_NODES, "client auth"]))
    return "apiserverClientAgent";
  if (servesHosts(asked) && areExactly(usages, [...OF_NODES, "server auth"])) return "agentServing";
  return "legacyUnknown";
}

const OF_NODES = ["digital signature", "key encipherment"];

function isOfNode({ commonName, organizations }: SigningRequest): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes" && commonName.startsWith("system:node:");
}

function servesHosts({ alternatives }: SigningRequest): boolean {
  const has = (...kinds: readonly string[]) => alternatives.some(({ kind }) => kinds.includes(kind));
  return has("dns", "ip") && !has("email", "uri");
}

function areExactly(usages: readonly unknown[], wanted: readonly string[]): boolean {
  return new Set(usages).size === wanted.length && wanted.every((usage) => usages.includes(usage));
}
