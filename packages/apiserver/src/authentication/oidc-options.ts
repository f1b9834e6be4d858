// The options --oidc-...: one issuer whose ID tokens are taken. Source: access-control, "OpenID Connect flags"; facts, flags.json.
import { type JwtConfiguration, SIGNATURE_ALGORITHMS } from "@orch/auth";
import { readCertificates } from "@orch/platform";
import { OIDC_FLAGS } from "../flags/oidc-flags";
import type { ServerConfig } from "../flags/server-flags";

type OidcFlag = Extract<keyof typeof OIDC_FLAGS, `oidc-${string}`>;

const FLAGS = Object.keys(OIDC_FLAGS).filter((name): name is OidcFlag => name.startsWith("oidc-"));

/** @returns what is wrong with them, one line each */
export function oidcOptionErrors(config: ServerConfig): string[] {
  const given = FLAGS.filter((name) => String(config[name]) !== OIDC_FLAGS[name].default);
  if (given.length === 0) return [];
  if (config["authentication-config"] !== "") {
    return [`--authentication-config takes the place of ${given.map((name) => `--${name}`).join(", ")}`];
  }
  const [issuer, client] = [config["oidc-issuer-url"], config["oidc-client-id"]];
  if (issuer === "" || client === "") {
    return ["--oidc-issuer-url and --oidc-client-id must be specified together when any --oidc-* option is set"];
  }
  const errors: string[] = [];
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== "https:") {
    errors.push("--oidc-issuer-url: must be an https address");
  }
  if (config["oidc-username-claim"] === "") errors.push("--oidc-username-claim: must not be empty");
  if (config["oidc-signing-algs"].length === 0) errors.push("--oidc-signing-algs: must name one at least");
  for (const each of config["oidc-required-claim"]) {
    if (!/^[^=]+=/.test(each)) errors.push("--oidc-required-claim: must be claim=value");
  }
  return errors;
}

const CA_OPTION = "oidc-ca-file";

/** @returns undefined where the options name no issuer @throws Error for a CA file that cannot be used */
export function oidcIssuer(config: ServerConfig): JwtConfiguration | undefined {
  const url = config["oidc-issuer-url"];
  if (url === "") return undefined;
  const claim = config["oidc-username-claim"];
  const prefix = config["oidc-username-prefix"];
  const groups = config["oidc-groups-claim"];
  const caFile = config[CA_OPTION];
  return {
    issuer: {
      url,
      audiences: [config["oidc-client-id"]],
      ...(caFile === "" ? {} : { ca: readCertificates(CA_OPTION, caFile) }),
    },
    algorithms: SIGNATURE_ALGORITHMS.filter((each) => config["oidc-signing-algs"].includes(each)),
    claimRules: config["oidc-required-claim"].map((each) => {
      const at = each.indexOf("=");
      return { kind: "claim", claim: each.slice(0, at), requiredValue: each.slice(at + 1) };
    }),
    username: { kind: "claim", claim, prefix: usernamePrefix({ claim, prefix, url }) },
    ...(groups === "" ? {} : { groups: { kind: "claim", claim: groups, prefix: config["oidc-groups-prefix"] } }),
    extra: [],
    userRules: [],
  };
}

/** Names of one issuer are no names of others, nor of the server's own users, unless somebody says so. */
function usernamePrefix({ claim, prefix, url }: { claim: string; prefix: string; url: string }): string {
  if (prefix === "-") return "";
  if (prefix !== "") return prefix;
  return claim === "email" ? "" : `${url}#`;
}
