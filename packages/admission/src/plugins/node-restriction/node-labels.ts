// Node labels that kubelets may not change: those of the node restriction prefix, which isolate workloads, and reserved
// labels that are not left to kubelets. Source: plugin/pkg/admission/noderestriction/admission.go.
import type { Vocabulary } from "@orch/schema";

type Labels = Readonly<Record<string, string>>;

/** Returns the forbidden labels that differ, in order. */
export function forbiddenLabels(before: Labels, after: Labels, vocabulary: Vocabulary): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key] && isForbidden(key, vocabulary)).sort();
}

function isForbidden(key: string, { labels }: Vocabulary): boolean {
  const domain = domainOf(key);
  if (isWithin(domain, domainOf(labels.nodeRestriction))) return true;
  const isProducts = [labels.hostname, labels.component].some((own) => isWithin(domain, domainOf(own)));
  if (!isProducts || OWN.some((id) => labels[id] === key)) return false;
  return !OWN_DOMAINS.some((id) => isWithin(domain, domainOf(labels[id])));
}

const OWN = [
  "hostname",
  "os",
  "arch",
  "betaOs",
  "betaArch",
  "betaInstanceType",
  "nodeInstanceType",
  "topologyZone",
  "topologyRegion",
  "failureDomainBetaZone",
  "failureDomainBetaRegion",
] as const satisfies readonly (keyof Vocabulary["labels"])[];

const OWN_DOMAINS = ["nodeagent", "node"] as const satisfies readonly (keyof Vocabulary["labels"])[];

/** Returns the part before the `/`; "" when there is none. */
const domainOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf("/")));

const isWithin = (domain: string, of: string): boolean => domain === of || domain.endsWith(`.${of}`);
