// Requirements for certificate signing requests of kubelets.
// Source: Kubernetes documentation, "Certificates and Certificate Signing Requests", "Kubernetes signers".
import type { AlternativeName, SigningRequest } from "@orch/apis";

export const CLIENT_USAGES: readonly string[] = ["client auth", "digital signature", "key encipherment"];
const SERVING_USAGES: readonly string[] = ["digital signature", "key encipherment", "server auth"];

const NO_GROUP = "subject organization is not system:nodes";
const NO_NODE = "subject common name does not begin with system:node:";
const NO_HOST = "DNS or IP subjectAltName is required";
const FORBIDDEN = {
  dns: "DNS subjectAltNames are not allowed",
  email: "Email subjectAltNames are not allowed",
  ip: "IP subjectAltNames are not allowed",
  uri: "URI subjectAltNames are not allowed",
} as const;

/**
 * @param usages without duplicates
 * @returns the first violation; undefined for a valid request
 */
export function nodeClientFlaw(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NO_GROUP;
  return (
    forbiddenName(request, ["dns", "email", "ip", "uri"]) ??
    (isNamedAsNode(request) ? undefined : NO_NODE) ??
    usageFlaw(usages, CLIENT_USAGES)
  );
}

/**
 * @param usages without duplicates
 * @returns the first violation; undefined for a valid request
 */
export function nodeServingFlaw(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return NO_GROUP;
  if (!has(request, "dns") && !has(request, "ip")) return NO_HOST;
  return (
    forbiddenName(request, ["email", "uri"]) ??
    usageFlaw(usages, SERVING_USAGES) ??
    (isNamedAsNode(request) ? undefined : NO_NODE)
  );
}

const isOfNodes = ({ organizations }: SigningRequest): boolean =>
  organizations.length === 1 && organizations[0] === "system:nodes";

const isNamedAsNode = ({ commonName }: SigningRequest): boolean => commonName.startsWith("system:node:");

const has = ({ alternatives }: SigningRequest, wanted: AlternativeName["kind"]): boolean =>
  alternatives.some(({ kind }) => kind === wanted);

function forbiddenName(request: SigningRequest, kinds: readonly (keyof typeof FORBIDDEN)[]): string | undefined {
  const found = kinds.find((kind) => has(request, kind));
  return found === undefined ? undefined : FORBIDDEN[found];
}

const usageFlaw = (usages: readonly string[], wanted: readonly string[]): string | undefined =>
  usages.length === wanted.length && wanted.every((usage) => usages.includes(usage))
    ? undefined
    : `usages did not match [${wanted.join(" ")}]`;
