// What it costs to find out who asks: the same request with a certificate, with a token that is known, and with ones that are new.
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { median } from "./in-turns.mjs";

const { groups, jwtClaims } = vocabularyOf("orch");
const ISSUER = "https://bench";
const ROUNDS = 8;
/** Until the server has compiled what it does. */
const FIRST_ROUNDS = 3;
/** More than a server remembers: by the time that one comes again it is new. */
const NEW_TOKENS = 18_000;
const PATH = "/version";
const folder = fileURLToPath(new URL("../../.orch/bench/tokens", import.meta.url));

/** Asked in turns, since machines have moods. */
export const tokenScenario = {
  fresh: true,
  async run(bench) {
    mkdirSync(folder, { recursive: true });
    const keyFile = join(folder, "service-account.key");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    const server = await bench.startServer([
      `--service-account-signing-key-file=${keyFile}`,
      `--service-account-issuer=${ISSUER}`,
    ]);
    const post = (path, object) =>
      bench
        .fetchFrom(server, path, { method: "POST", body: JSON.stringify(object) })
        .then(({ body }) => JSON.parse(body));
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const account = await post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bench" } });
    const request = { apiVersion: `${groups.authentication}/v1`, kind: "TokenRequest", spec: {} };
    const { status } = await post(`${accounts}/bench/token`, request);
    const byToken = { ...server.target, cert: undefined, key: undefined };
    const all = Array.from({ length: NEW_TOKENS }, (_, index) => signed(status.token, privateKey, account, index));
    let used = 0;
    const following = () => [...all.slice(used % NEW_TOKENS), ...all.slice(0, used % NEW_TOKENS)];
    const kinds = {
      certificate: { target: server.target, make: { path: PATH }, maker: "fixed" },
      "known token": { target: byToken, make: () => ({ path: PATH, tokens: [status.token] }), maker: "withTokens" },
      "new token": { target: byToken, make: () => ({ path: PATH, tokens: following() }), maker: "withTokens" },
    };
    const figures = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
    let last;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [kind, { target, make, maker }] of Object.entries(kinds)) {
        const order = { maker, make: typeof make === "function" ? make() : make, concurrency: bench.concurrency };
        const times = { warmupMs: 300, durationMs: 2000 };
        last = await bench.load("timed", { ...order, ...times, target, serverPid: server.pid });
        if (kind === "new token") used += last.sent;
        if (round >= FIRST_ROUNDS) figures[kind].push(last.cpuMicrosPerOperation);
      }
    }
    await bench.stop(server);
    const [certificate, known, unknown] = Object.values(figures).map(median);
    return {
      ours: last,
      notes: [
        `µs of CPU a request: ${certificate.toFixed(1)} with a certificate, ${known.toFixed(1)} with a known token, ${unknown.toFixed(1)} with a new one (RS256)`,
      ],
    };
  },
};

/** As the server signs them; each differs from the others. */
function signed(like, key, account, index) {
  const [head, body] = like.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const { name, uid } = account.metadata;
  const own = { ...claims[jwtClaims.product], serviceaccount: { name, uid } };
  const text = JSON.stringify({ ...claims, jti: `bench-${index}`, [jwtClaims.product]: own });
  const content = `${head}.${Buffer.from(text).toString("base64url")}`;
  return `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`;
}
