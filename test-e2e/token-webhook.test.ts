// Users of a token review webhook: called over TLS with the server's client certificate, and once per token.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { Kubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

test("kubectl is the user that the webhook returns, and is rejected with an unknown token", async () => {
  const authority = new Authority(workplace);
  const { cert, key, ca } = authority.issue("webhook");
  const own = authority.issue("asking-server");
  const asked: { readonly token: string; readonly by: string; readonly apiVersion: string }[] = [];
  const tls = { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
  const webhook = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += String(piece);
    });
    request.on("end", () => {
      const { apiVersion, kind, spec } = JSON.parse(text) as {
        apiVersion: string;
        kind: string;
        spec: { token: string };
      };
      const by = (request.socket as TLSSocket).getPeerCertificate().subject.CN ?? "";
      asked.push({ token: spec.token, by: String(by), apiVersion });
      const user = { username: "zoe", uid: "9", groups: ["system:masters"] };
      const status = spec.token === "good-token" ? { authenticated: true, user } : { authenticated: false };
      response.end(JSON.stringify({ apiVersion, kind, status }));
    });
  });
  ends.push(() => {
    webhook.close();
    webhook.closeAllConnections();
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const { port } = webhook.address() as AddressInfo;
  const file = join(workplace.folder(), "webhook.kubeconfig");
  const configuration = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "w", cluster: { server: `https://127.0.0.1:${port}/authenticate`, "certificate-authority": ca } },
    ],
    users: [{ name: "s", user: { "client-certificate": own.cert, "client-key": own.key } }],
    contexts: [{ name: "w", context: { cluster: "w", user: "s" } }],
    "current-context": "w",
  };
  writeFileSync(file, JSON.stringify(configuration));
  const server = await startApiServer(workplace, {
    name: "webhook",
    authority,
    store: { kind: "memory" },
    flags: [
      "--vocabulary=kubernetes",
      `--authentication-token-webhook-config-file=${file}`,
      "--authentication-token-webhook-version=v1",
      "--v=3",
    ],
  });
  const client = new Kubectl(server, workplace.folder());
  for (let each = 0; each < 3; each += 1) {
    expect((await client.run(["--token=good-token", "get", "namespaces", "-o", "name"])).stdout).toContain(
      "namespace/default",
    );
  }
  expect(asked).toEqual([{ token: "good-token", by: "asking-server", apiVersion: "authentication.k8s.io/v1" }]);
  const refused = await client.run(["--token=guessed-token", "get", "namespaces"]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/Unauthorized|must be logged in/)]);
  expect(server.program.logText()).not.toMatch(/good-token|guessed-token/);
}, 60_000);
