// Writes a kubeconfig file with one cluster and one user with a client certificate.
import { readFileSync, writeFileSync } from "node:fs";

export function writeKubeconfig(path, { server, ca, cert, key }) {
  const embed = (file) => readFileSync(file).toString("base64");
  const text = `apiVersion: v1
kind: Config
clusters:
  - name: orch
    cluster:
      server: ${server}
      certificate-authority-data: ${embed(ca)}
users:
  - name: admin
    user:
      client-certificate-data: ${embed(cert)}
      client-key-data: ${embed(key)}
contexts:
  - name: orch
    context: { cluster: orch, user: admin }
current-context: orch
`;
  writeFileSync(path, text, { mode: 0o600 });
}
