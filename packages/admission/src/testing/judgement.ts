// Outcome of pod security for a request: refusal, warnings, audit annotations and metrics.
import type { JsonObject, JsonValue } from "@orch/schema";
import { createAdmissionChain } from "../chain/chain";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { PodSecurityObserver } from "../contract/pod-security-observer";
import { podSecurity } from "../plugins/pod-security/pod-security";
import { fakeDependencies, type RequestParts, requestOf } from "./admission-request";
import { storedObjects } from "./stored-objects";

export interface Judgement {
  readonly refusal?: { readonly code: number; readonly message: string; readonly details: unknown };
  readonly warnings?: readonly string[];
  /** Audit annotations keyed by the last part of their keys. */
  readonly audit?: Readonly<Record<string, string>>;
  readonly counted?: readonly object[];
}

export interface Judged {
  readonly request: RequestParts;
  readonly stored?: readonly JsonObject[];
  readonly defaults?: JsonObject;
  readonly exemptions?: JsonObject;
  readonly dependencies?: Partial<AdmissionDependencies>;
}

const PREFIX = "pod-security.orch.io/";

/** Evaluates a request. Empty parts of the outcome are omitted. */
export async function judgementOf({
  request: parts,
  stored = [],
  dependencies,
  ...configured
}: Judged): Promise<Judgement> {
  const counted: object[] = [];
  const observer: PodSecurityObserver = {
    evaluated: (what) => counted.push({ evaluated: what }),
    exempted: (what) => counted.push({ exempted: what }),
    failed: (what) => counted.push({ failed: what }),
  };
  const configuration: JsonValue = {
    apiVersion: "pod-security.admission.config.orch.io/v1",
    kind: "PodSecurityConfiguration",
    ...(configured as JsonObject),
  };
  const chain = createAdmissionChain({
    plugins: [podSecurity],
    dependencies: fakeDependencies({
      release: "1.26",
      ...storedObjects(stored),
      podSecurity: observer,
      ...dependencies,
    }),
    configurations: new Map([["PodSecurity", { value: configuration, from: "its file" }]]),
  });
  const [warnings, audit]: [string[], Record<string, string>] = [[], {}];
  const request = requestOf(parts);
  request.warn = (text) => warnings.push(text);
  request.annotate = (key, value) => {
    audit[key.replace(PREFIX, "")] = value;
  };
  let refusal: Judgement["refusal"];
  try {
    await chain.mutate(request);
    await chain.validate(request);
  } catch (error) {
    const { code, message, details } = error as NonNullable<Judgement["refusal"]>;
    refusal = { code, message, details };
  }
  return {
    ...(refusal && { refusal }),
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(audit).length > 0 && { audit }),
    ...(counted.length > 0 && { counted }),
  };
}

/** Returns the labels of a policy, given by the last part of their keys. */
const policyOf = (policy: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(policy).map(([key, value]) => [`${PREFIX}${key}`, value]));

export const namespaceOf = (policy: Readonly<Record<string, string>>, name = "shop"): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: policyOf(policy) },
});
