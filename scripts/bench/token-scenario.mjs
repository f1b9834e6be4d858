// Cost of authentication: the same request with a client certificate, with a cached token, and with new tokens.
import { sign } from "node:crypto";
import { vocabularyOf } from "@orch/schema";
import { serverWithAccount, withoutCertificate } from "./account-token.mjs";
import { kindsInTurns } from "./in-turns.mjs";

const { jwtClaims } = vocabularyOf("orch");
/** More tokens than the cache of a server holds: a repeated token is no longer cached. */
const NEW_TOKENS = 18_000;
const PATH = "/version";

/** The kinds are measured in turns, because the speed of the machine varies. */
export const tokenScenario = {
  fresh: true,
  async run(bench) {
    const { server, account, token, privateKey } = await serverWithAccount(bench, "bench");
    const byToken = withoutCertificate(server);
    const all = Array.from({ length: NEW_TOKENS }, (_, index) => signed(token, privateKey, account, index));
    let used = 0;
    const following = () => [...all.slice(used % NEW_TOKENS), ...all.slice(0, used % NEW_TOKENS)];
    const order = { concurrency: bench.concurrency, warmupMs: 300, durationMs: 2000, serverPid: server.pid };
    const { medians, last } = await kindsInTurns(
      bench,
      {
        certificate: () => ({ ...order, target: server.target, maker: "fixed", make: { path: PATH } }),
        known: () => ({ ...order, target: byToken, maker: "withTokens", make: { path: PATH, tokens: [token] } }),
        unknown: () => ({ ...order, target: byToken, maker: "withTokens", make: { path: PATH, tokens: following() } }),
      },
      {
        told: (kind, { sent }) => {
          if (kind === "unknown") used += sent;
        },
      },
    );
    await bench.stop(server);
    const { certificate, known, unknown } = medians;
    return {
      ours: last,
      notes: [
        `µs of CPU a request: ${certificate.toFixed(1)} with a certificate, ${known.toFixed(1)} with a known token, ${unknown.toFixed(1)} with a new one (RS256)`,
      ],
    };
  },
};

/** Signs distinct tokens in the format of the server. */
function signed(like, key, account, index) {
  const [head, body] = like.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const { name, uid } = account.metadata;
  const own = { ...claims[jwtClaims.product], serviceaccount: { name, uid } };
  const text = JSON.stringify({ ...claims, jti: `bench-${index}`, [jwtClaims.product]: own });
  const content = `${head}.${Buffer.from(text).toString("base64url")}`;
  return `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`;
}
