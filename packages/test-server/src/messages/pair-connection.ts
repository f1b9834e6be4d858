// Connections of the clients that a test server gives to tests.
import type { ConnectionSettings } from "@orch/client";

interface Address {
  readonly url: string;
  /** PEM of the authority that signed the serving certificate. */
  readonly ca: string;
}

/** Returns the connection of a user who has a client certificate. @param pair PEM of the certificate and of its key */
export function pairConnection(
  { url, ca }: Address,
  pair: { readonly certificate: string; readonly key: string },
): ConnectionSettings {
  const text = (value: string) => ({ kind: "text", text: value }) as const;
  const certificate = { certificate: text(pair.certificate), key: text(pair.key) };
  return { server: url, tls: { ca: text(ca) }, credentials: { certificate }, namespace: "default" };
}
