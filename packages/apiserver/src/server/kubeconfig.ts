// A client configuration file with which one user reaches this server. JSON is YAML too, and needs no library.
import type { KeyAndCertificate } from "../tls/certificate-material";

export interface KubeconfigOf {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly credentials: KeyAndCertificate;
  /** Names cluster and context. */
  readonly name: string;
}

export function kubeconfigText({ url, ca, user, credentials, name }: KubeconfigOf): string {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: user,
        user: {
          "client-certificate-data": base64(credentials.certificate),
          "client-key-data": base64(credentials.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
