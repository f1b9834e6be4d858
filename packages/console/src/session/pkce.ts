// Proof keys of the authorization code flow. Source: RFC 7636.

export interface ProofKey {
  readonly verifier: string;
  readonly challenge: string;
}

export async function newProofKey(): Promise<ProofKey> {
  const verifier = randomText();
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(hash)) };
}

/** Returns 256 random bits as text. */
export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
