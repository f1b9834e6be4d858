// Signers and their requirements. Source: Kubernetes documentation, "Certificates and Certificate Signing Requests",
// "Kubernetes signers".
import type { SigningRequest } from "@orch/apis";
import type { Vocabulary } from "@orch/schema";
import { CLIENT_USAGES, nodeClientFlaw, nodeServingFlaw } from "../../framework/node-requests";

/** Key of the signer's name in the vocabulary. */
export type SignerId = keyof typeof SIGNERS;

/**
 * @param usages without duplicates
 * @returns the violation; undefined for a valid request
 */
type Check = (request: SigningRequest, usages: readonly string[]) => string | undefined;

const SIGNERS = {
  agentServing: nodeServingFlaw,
  apiserverClientAgent: nodeClientFlaw,
  apiserverClient: (_request, usages) => clientUsageFlaw(usages),
  legacyUnknown: () => undefined,
} as const satisfies Partial<Record<keyof Vocabulary["signers"], Check>>;

export const SIGNER_IDS = Object.keys(SIGNERS) as readonly SignerId[];

export const flawFor = (signer: SignerId, ...of: Parameters<Check>): string | undefined => SIGNERS[signer](...of);

function clientUsageFlaw(usages: readonly string[]): string | undefined {
  const alien = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (alien !== undefined) return `invalid usage for client certificate: ${alien}`;
  if (!usages.includes("client auth")) return "missing required usage for client certificate: client auth";
  return undefined;
}
