// The options --oidc-...: one issuer whose ID tokens are accepted. Source: Kubernetes documentation, "Authenticating",
// "OpenID Connect Tokens".
import { type JwtConfiguration, SIGNATURE_ALGORITHMS } from "@orch/auth";
import { readCertificates } from "@orch/platform";
import { OIDC_FLAGS } from "../flags/oidc-flags";
import type { ServerConfig } from "../flags/server-flags";

type OidcFlag = Extract<keyof typeof OIDC_FLAGS, `oidc-${string}`>;

const FLAGS = Object.keys(OIDC_FLAGS).filter((name): name is OidcFlag => name.startsWith("oidc-"));

/** @returns one line per error */
export function oidcOptionErrors(config: ServerConfig): string[] {
  const given = FLAGS.filter((name) => String(config[name]) !== OIDC_FLAGS[name].default);
  const ofConsole = config["console-oidc-client-id"];
  // The issuers of --authentication-config are known when the file is read.
  if (ofConsole !== "" && ofConsole !== config["oidc-client-id"] && config["authentication-config"] === "")
    return [
      `--console-oidc-client-id: ${JSON.stringify(ofConsole)} must be the audience of --oidc-client-id or of an issuer of --authentication-config, because the server accepts no ID tokens for another one`,
    ];
  if (given.length === 0) return [];
  if (config["authentication-config"] !== "") {
    return [`--authentication-config is mutually exclusive with ${given.map((name) => `--${name}`).join(", ")}`];
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
  if (config["oidc-signing-algs"].length === 0) errors.push("--oidc-signing-algs: must name at least one algorithm");
  for (const each of config["oidc-required-claim"]) {
    if (!/^[^=]+=/.test(each)) errors.push("--oidc-required-claim: must be claim=value");
  }
  return errors;
}

const CA_OPTION = "oidc-ca-file";

/** @returns undefined when the options name no issuer @throws Error for an invalid CA file */
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

/**
 * Prefixes user names with the issuer by default, so that they do not collide with those of other issuers or of the
 * server itself. Emails get no default prefix.
 */
function usernamePrefix({ claim, prefix, url }: { claim: string; prefix: string; url: string }): string {
  if (prefix === "-") return "";
  if (prefix !== "") return prefix;
  return claim === "email" ? "" : `${url}#`;
}
