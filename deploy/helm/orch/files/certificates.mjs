// Issues the certificates of a control plane with the signer of Orch (`orch cert init`), and keeps them in Secrets of the
// cluster that hosts it. Certificates that are valid for long enough, with the wanted names, stay. Authorities and the key
// of service account tokens are made once. Runs in the jobs of the chart.
//
//   PLAN                 certificates: [{ name, authority, user, groups, hosts, keepsKey }], as JSON
//   PREFIX               the Secret of a certificate is PREFIX-NAME-tls, with tls.crt, tls.key and ca.crt
//   LABELS               labels of the Secrets, as JSON
//   NAMESPACE            their namespace
//   RENEW_BEFORE_DAYS    certificates with less time left are issued anew
//   HOST_SERVER          URL of the hosting API server. Default: that of the pod
//   HOST_CREDENTIALS     folder with `token` and `ca.crt`. Default: that of the pod's service account
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { PREFIX, NAMESPACE, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env;
const plan = JSON.parse(process.env.PLAN);
const labels = JSON.parse(process.env.LABELS);
const renewBeforeMs = Number(process.env.RENEW_BEFORE_DAYS) * 86_400_000;
const server = process.env.HOST_SERVER ?? `https://${KUBERNETES_SERVICE_HOST}:${KUBERNETES_SERVICE_PORT}`;
const credentials = process.env.HOST_CREDENTIALS ?? "/var/run/secrets/kubernetes.io/serviceaccount";
const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const work = mkdtempSync(join(tmpdir(), "pki-"));
const REQUEST_TIMEOUT_MS = 30_000;

/** Sends a request to the hosting API server. @returns undefined for an object that is not there */
function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      ca: readFileSync(join(credentials, "ca.crt")),
      headers: {
        authorization: `Bearer ${readFileSync(join(credentials, "token"), "utf8").trim()}`,
        "content-type": "application/json",
      },
      timeout: REQUEST_TIMEOUT_MS,
    };
    const sent = request(new URL(path, server), options, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      if (response.statusCode === 404 && method === "GET") resolve(undefined);
      else if (response.statusCode < 300) resolve(JSON.parse(text));
      else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 500)}`));
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer in ${REQUEST_TIMEOUT_MS / 1000} s`)));
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

const orch = (...words) => execFileSync("orch", words, { stdio: ["ignore", "ignore", "inherit"] });
const text = (secret, key) => Buffer.from(secret.data[key], "base64").toString();
const secretOf = (name) => `${PREFIX}-${name}-tls`;

/** Creates a Secret, or replaces its data. */
async function keep(name, data, former) {
  const metadata = former?.metadata ?? { name: secretOf(name), namespace: NAMESPACE, labels };
  const object = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, stringData: data };
  if (former === undefined) await call("POST", secrets, object);
  else await call("PUT", `${secrets}/${secretOf(name)}`, object);
  console.log(`${former === undefined ? "created" : "renewed"} ${secretOf(name)}`);
}

/** Fills a folder with an authority, which is made when its Secret is missing. @returns its certificate */
async function provideAuthority(name) {
  const folder = join(work, name);
  const former = await call("GET", `${secrets}/${secretOf(name)}`);
  if (former === undefined) {
    orch("cert", "init", folder);
    const [certificate, key] = ["ca.crt", "ca.key"].map((file) => readFileSync(join(folder, file), "utf8"));
    await keep(name, { "ca.crt": certificate, "tls.crt": certificate, "tls.key": key });
    return certificate;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "ca.crt"), text(former, "tls.crt"));
  writeFileSync(join(folder, "ca.key"), text(former, "tls.key"), { mode: 0o600 });
  return text(former, "tls.crt");
}

/** @returns why a certificate has to be issued; undefined when it stays */
function reasonToIssue({ hosts = [], keepsKey }, former, authority) {
  if (former === undefined) return "it is missing";
  if (keepsKey) return undefined;
  const certificate = new X509Certificate(text(former, "tls.crt"));
  if (!certificate.verify(new X509Certificate(authority).publicKey)) return "another authority has issued it";
  if (Date.parse(certificate.validTo) - Date.now() < renewBeforeMs) return `it ends at ${certificate.validTo}`;
  const named = (certificate.subjectAltName ?? "").split(", ").map((each) => each.replace(/^(DNS|IP Address):/, ""));
  const lacking = hosts.find((host) => !named.includes(host));
  return lacking && `it lacks the name ${lacking}`;
}

async function provide(certificate, authority) {
  const { name, user, groups = [], hosts = [] } = certificate;
  const former = await call("GET", `${secrets}/${secretOf(name)}`);
  const reason = reasonToIssue(certificate, former, authority);
  if (reason === undefined) return;
  console.log(`issuing ${name}: ${reason}`);
  const folder = join(work, certificate.authority);
  const words = [...groups.map((group) => `--group=${group}`), ...hosts.map((host) => `--host=${host}`)];
  orch("cert", "init", folder, name, `--cn=${user}`, ...words);
  const [crt, key] = ["crt", "key"].map((end) => readFileSync(join(folder, `${name}.${end}`), "utf8"));
  await keep(name, { "ca.crt": authority, "tls.crt": crt, "tls.key": key }, former);
}

for (const name of new Set(plan.map(({ authority }) => authority))) {
  const authority = await provideAuthority(name);
  for (const certificate of plan.filter((each) => each.authority === name)) await provide(certificate, authority);
}
