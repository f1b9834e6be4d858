// Who signs, and what each asks of a request. Source: facts, controllers.md "csrsigning"; access-control, "Certificate signing and signers".
import type { SigningRequest } from "@orch/apis";
import type { Vocabulary } from "@orch/schema";
import { CLIENT_USAGES, nodeClientFlaw, nodeServingFlaw } from "../../manager/node-requests";

/** As the vocabulary has it. */
export type SignerId = keyof typeof SIGNERS;

/** @param usages each once @returns what is amiss with a request; undefined where nothing is */
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
