// A server that signs service account tokens, and the token of an account.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";

const { groups } = vocabularyOf("orch");
const folder = fileURLToPath(new URL("../../.orch/bench/tokens", import.meta.url));
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";

/** @returns the server, the account, its token and the signing key */
export async function serverWithAccount(bench, name) {
  mkdirSync(folder, { recursive: true });
  const keyFile = join(folder, "service-account.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  const server = await bench.startServer([
    `--service-account-signing-key-file=${keyFile}`,
    "--service-account-issuer=https://bench",
  ]);
  const post = async (path, object) =>
    JSON.parse((await bench.fetchFrom(server, path, { method: "POST", body: JSON.stringify(object) })).body);
  const account = await post(ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
  const request = { apiVersion: `${groups.authentication}/v1`, kind: "TokenRequest", spec: {} };
  const { status } = await post(`${ACCOUNTS}/${name}/token`, request);
  return { server, account, token: status.token, privateKey };
}

/** Returns the server with a target that presents no client certificate. */
export const withoutCertificate = ({ target }) => ({ ...target, cert: undefined, key: undefined });
