// Validates the authorization options and builds the authorization plan. Source:
// pkg/kubeapiserver/options/authorization.go.
import { type ChosenAuthorizer, parseAuthorizationModes, type WebhookOptions } from "@orch/auth";
import { defaultsOf } from "@orch/machinery";
import { AUTHORIZATION_FLAGS } from "../flags/authorization-flags";
import type { ServerConfig } from "../flags/server-flags";
import type { AuthorizationPlan } from "./authorization-plan";

/** Timeout of one webhook call without a configuration file. */
const TIMEOUT_MS = 30_000;

const NEEDED = [
  { mode: "ABAC", option: "authorization-policy-file" },
  { mode: "Webhook", option: "authorization-webhook-config-file" },
] as const;

/** Options that a configuration file replaces. */
const REPLACED = Object.keys(AUTHORIZATION_FLAGS).filter(
  (option) => option === "authorization-mode" || option.startsWith("authorization-webhook-"),
) as readonly (keyof typeof AUTHORIZATION_FLAGS)[];

export function authorizationOptionErrors(config: ServerConfig): string[] {
  if (config["authorization-config"] !== "") {
    return REPLACED.filter((option) => isGiven(config, option)).map(
      (option) => `--authorization-config and --${option} are mutually exclusive: set one of them`,
    );
  }
  return NEEDED.flatMap(({ mode, option }) => {
    const isAsked = config["authorization-mode"].includes(mode);
    if (isAsked === (config[option] !== "")) return [];
    return [
      isAsked
        ? `--authorization-mode=${mode} requires --${option}`
        : `--${option} requires --authorization-mode=${mode}`,
    ];
  });
}

/** Whether an option was set. An option set to its default counts as not set. */
function isGiven(config: ServerConfig, option: keyof typeof AUTHORIZATION_FLAGS): boolean {
  return String(config[option]) !== String(DEFAULTS[option]);
}

const DEFAULTS: Readonly<Record<string, unknown>> = defaultsOf(AUTHORIZATION_FLAGS);

/** Returns the plan of the options, without a configuration file. */
export function planOfOptions(config: ServerConfig): AuthorizationPlan {
  const authorizers: ChosenAuthorizer[] = parseAuthorizationModes(config["authorization-mode"]).map((type) => ({
    type,
    name: type === "Webhook" ? "default" : type.toLowerCase(),
  }));
  const options: WebhookOptions = {
    version: config["authorization-webhook-version"] === "v1" ? "v1" : "v1beta1",
    authorizedTtlMs: config["authorization-webhook-cache-authorized-ttl"],
    unauthorizedTtlMs: config["authorization-webhook-cache-unauthorized-ttl"],
    failurePolicy: "NoOpinion",
    timeoutMs: TIMEOUT_MS,
  };
  const option = "authorization-webhook-config-file";
  return {
    authorizers,
    webhooks: authorizers
      .filter(({ type }) => type === "Webhook")
      .map(({ name }) => ({ name, options, conditions: [], configurationFile: { option, file: config[option] } })),
  };
}
