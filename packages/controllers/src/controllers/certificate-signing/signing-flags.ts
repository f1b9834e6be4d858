// Flags for the signers' files: one pair for all signers, or one pair each. Source: kube-controller-manager reference,
// `--cluster-signing-*`.
import { type ConfigOf, section } from "@orch/machinery";
import { SIGNER_IDS, type SignerId } from "./signers";
import type { PairFiles } from "./signing-authority";

const file = (help: string) => ({ type: "string", default: "", help }) as const;

export const PAIR_FLAGS = section("Certificate signing", {
  "cluster-signing-cert-file": file(
    "PEM file with the CA certificate that signs for all signers; empty: no certificates are signed",
  ),
  "cluster-signing-key-file": file("file with the key of that certificate; both are reloaded when they change"),
  "cluster-signing-agent-serving-cert-file": file(
    "CA certificate file for the kubelet-serving signer, in place of the one for all signers",
  ),
  "cluster-signing-agent-serving-key-file": file("file with the key of that certificate"),
  "cluster-signing-agent-client-cert-file": file("CA certificate file for the kubelet client signer"),
  "cluster-signing-agent-client-key-file": file("file with the key of that certificate"),
  "cluster-signing-apiserver-client-cert-file": file("CA certificate file for the signer of API server clients"),
  "cluster-signing-apiserver-client-key-file": file("file with the key of that certificate"),
  "cluster-signing-legacy-unknown-cert-file": file("CA certificate file for the legacy-unknown signer"),
  "cluster-signing-legacy-unknown-key-file": file("file with the key of that certificate"),
} as const);

type PairOptions = ConfigOf<typeof PAIR_FLAGS>;

const OWN: Readonly<Record<SignerId, readonly [certificate: keyof PairOptions, key: keyof PairOptions]>> = {
  agentServing: ["cluster-signing-agent-serving-cert-file", "cluster-signing-agent-serving-key-file"],
  apiserverClientAgent: ["cluster-signing-agent-client-cert-file", "cluster-signing-agent-client-key-file"],
  apiserverClient: ["cluster-signing-apiserver-client-cert-file", "cluster-signing-apiserver-client-key-file"],
  legacyUnknown: ["cluster-signing-legacy-unknown-cert-file", "cluster-signing-legacy-unknown-key-file"],
};

/**
 * Returns the files by signer.
 * @throws Error naming the options, for an incomplete pair, and for a signer's own pair together with the pair for all
 */
export function filesBySigner(options: PairOptions): ReadonlyMap<SignerId, PairFiles> {
  const pairOf = (certificate: keyof PairOptions, key: keyof PairOptions): PairFiles | undefined => {
    if (options[certificate] === "" && options[key] === "") return undefined;
    const [missing] = [certificate, key].filter((name) => options[name] === "");
    if (missing !== undefined)
      throw new Error(`--${certificate} and --${key} must be set together: --${missing} is missing`);
    return { option: certificate, certificate: options[certificate], key: options[key] };
  };
  const forAll = pairOf("cluster-signing-cert-file", "cluster-signing-key-file");
  const own = SIGNER_IDS.map((id) => [id, pairOf(...OWN[id])] as const);
  const [other] = own.find(([, pair]) => pair !== undefined) ?? [];
  if (forAll !== undefined && other !== undefined) {
    throw new Error(`--cluster-signing-cert-file and --${OWN[other][0]} are mutually exclusive`);
  }
  return new Map(own.flatMap(([id, pair = forAll]) => (pair === undefined ? [] : [[id, pair] as const])));
}
