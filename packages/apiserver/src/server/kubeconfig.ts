// Writes kubeconfig files for one user. JSON is valid YAML and needs no library.

export interface KubeconfigOf {
  readonly url: string;
  readonly user: string;
  readonly material: ClientMaterial;
  /** Name against which the server certificate is verified. Absent: the host of the URL. */
  readonly serverName?: string | undefined;
  /** Name of cluster and context. */
  readonly name: string;
}

export type ClientMaterial =
  /** PEM. The file is self-contained and valid as long as the certificate. */
  | { readonly kind: "inPlace"; readonly ca: string; readonly certificate: string; readonly key: string }
  /** Paths relative to the kubeconfig. Clients that reload the files pick up renewed certificates. */
  | { readonly kind: "files"; readonly ca: string; readonly certificate: string; readonly key: string }
  /** The authorities as PEM, because no single file contains them all; certificate and key as paths. */
  | { readonly kind: "pairFiles"; readonly ca: string; readonly certificate: string; readonly key: string };

export function kubeconfigText({ url, user, material, serverName, name }: KubeconfigOf): string {
  const { cluster, credentials } = entriesOf(material);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: { server: url, ...cluster, ...(serverName !== undefined && { "tls-server-name": serverName }) },
      },
    ],
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function entriesOf({ kind, ca, certificate, key }: ClientMaterial) {
  switch (kind) {
    case "inPlace":
      return {
        cluster: { "certificate-authority-data": base64(ca) },
        credentials: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
      };
    case "files":
      return {
        cluster: { "certificate-authority": ca },
        credentials: { "client-certificate": certificate, "client-key": key },
      };
    case "pairFiles":
      return {
        cluster: { "certificate-authority-data": base64(ca) },
        credentials: { "client-certificate": certificate, "client-key": key },
      };
  }
}

const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
