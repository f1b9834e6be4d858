// A client configuration file with which one user reaches this server. JSON is YAML too, and needs no library.

export interface KubeconfigOf {
  readonly url: string;
  readonly user: string;
  readonly material: ClientMaterial;
  /** By which the server's certificate is verified. Absent: by the URL's host. */
  readonly serverName?: string | undefined;
  /** Names cluster and context. */
  readonly name: string;
}

export type ClientMaterial =
  /** PEM. The file is good wherever it is taken to, for as long as the certificate is. */
  | { readonly kind: "inPlace"; readonly ca: string; readonly certificate: string; readonly key: string }
  /** Paths, from the file's own folder. Clients that read them again use what is made anew. */
  | { readonly kind: "files"; readonly ca: string; readonly certificate: string; readonly key: string }
  /** The authorities in PEM, for there is no file that has them all; the pair by paths. */
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
