// Opens the external authenticators that the options describe, and reads and fetches what they need.

import type { AnonymousAccess, TokenAuthenticator } from "@orch/auth";
import { ConfigurationError, readConfigurationFile } from "@orch/machinery";
import type { EgressSelector, Log } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates } from "../flags/feature-gates";
import type { ServerConfig } from "../flags/server-flags";
import { type ConfigurationInfoMetrics, noteConfiguration } from "../option-files/configuration-hash";
import { type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";
import { namingOption } from "../settings/named-option";
import { oidcIssuer } from "../settings/oidc-options";
import { claimExpressions } from "./claim-expressions";
import { type OpenTokenWebhook, openWebhook, type WebhookMetrics } from "./open-webhook";
import { type AuthenticationConfiguration, readConfiguration } from "./read-configuration";
import { type IssuerMetrics, type SignInIssuer, TrustedIssuers } from "./trusted-issuers";

export interface AuthenticationParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates: Pick<FeatureGates, "StructuredAuthenticationConfigurationEgressSelector">;
  readonly logger: Log;
  readonly egress?: EgressSelector;
  readonly metrics: IssuerMetrics & WebhookMetrics & ReloadParts["metrics"] & ConfigurationInfoMetrics;
}

export interface OpenAuthentication {
  /** Authenticator for the tokens of trusted issuers; undefined when no issuer can be configured. */
  readonly issued: TokenAuthenticator | undefined;
  readonly webhook: OpenTokenWebhook | undefined;
  /** Returns the issuer at which the console signs in; undefined when no client is configured for it. */
  consoleIssuer(): SignInIssuer | undefined;
  /** Current access of anonymous requests. */
  anonymous(): AnonymousAccess;
  close(): void;
}

const CONFIGURATION = "authentication-config";
const CLIENT = "console-oidc-client-id";
const CONFIGURATION_MAX_BYTES = 1024 * 1024;

/** @throws SettingsError for an invalid file */
export async function openAuthentication(parts: AuthenticationParts): Promise<OpenAuthentication> {
  const stops: Stops = [];
  const close = () => {
    for (const stop of stops) stop();
  };
  try {
    return { ...(await opened(parts, stops)), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function opened(parts: AuthenticationParts, stops: Stops): Promise<Omit<OpenAuthentication, "close">> {
  const { config } = parts;
  const configured = config[CONFIGURATION] === "" ? undefined : await openConfiguration(parts, stops);
  const issuers = configured?.issuers ?? (await openOidc(parts, stops));
  const webhook = await namingOption("authentication-token-webhook-config-file", () => openWebhook(parts));
  if (webhook !== undefined) stops.push(() => webhook.close());
  const client = config[CLIENT];
  const byOption: AnonymousAccess = { enabled: config["anonymous-auth"], paths: [] };
  return {
    issued: issuers?.tokens,
    webhook,
    consoleIssuer: () => (client === "" ? undefined : issuers?.issuerFor(client)),
    anonymous: () => configured?.anonymous() ?? byOption,
  };
}

type Stops = (() => void)[];

async function openConfiguration(
  parts: AuthenticationParts,
  stops: Stops,
): Promise<{ readonly issuers: TrustedIssuers; anonymous(): AnonymousAccess | undefined }> {
  const file = parts.config[CONFIGURATION];
  const load = () => loadConfiguration(parts);
  const info = "apiserver_authentication_config_controller_last_config_info";
  let current = await namingOption(CONFIGURATION, load);
  const issuers = new TrustedIssuers(current.issuers, parts);
  noteConfiguration(parts.metrics, info, current.text);
  stops.push(
    () => issuers.stop(),
    reloadWhenChanged(parts, { option: CONFIGURATION, file }, async () => {
      const next = await load();
      issuers.replace(next.issuers);
      current = next;
      noteConfiguration(parts.metrics, info, next.text);
    }),
  );
  return { issuers, anonymous: () => current.anonymous };
}

async function loadConfiguration({
  config,
  vocabulary,
  release,
  gates,
  egress,
}: AuthenticationParts): Promise<AuthenticationConfiguration & { readonly text: string }> {
  const text = await readConfigurationFile(config[CONFIGURATION], CONFIGURATION_MAX_BYTES);
  const read = await readConfiguration(text, {
    vocabulary,
    expressions: claimExpressions(vocabulary, release),
    ownIssuers: config["service-account-issuer"],
    egress: gates.StructuredAuthenticationConfigurationEgressSelector ? egress : undefined,
  });
  if (read.anonymous !== undefined && !config["anonymous-auth"]) {
    throw new ConfigurationError(["anonymous: mutually exclusive with --anonymous-auth"]);
  }
  checkConsoleClient(config[CLIENT], read.issuers);
  return { ...read, text };
}

/** @throws ConfigurationError unless exactly one issuer has the client of the console among its audiences */
function checkConsoleClient(client: string, issuers: AuthenticationConfiguration["issuers"]): void {
  if (client === "") return;
  const count = issuers.filter(({ issuer }) => issuer.audiences.includes(client)).length;
  if (count === 1) return;
  throw new ConfigurationError([
    `--${CLIENT}: ${JSON.stringify(client)} must be an audience of exactly one issuer of --${CONFIGURATION}, because the ID tokens of the console are for this audience; it is one of ${count} issuers`,
  ]);
}

async function openOidc(parts: AuthenticationParts, stops: Stops): Promise<TrustedIssuers | undefined> {
  const { config } = parts;
  const option = "oidc-ca-file";
  const issuer = await namingOption(option, () => oidcIssuer(config));
  if (issuer === undefined) return undefined;
  const issuers = new TrustedIssuers([issuer], parts);
  stops.push(() => issuers.stop());
  if (config[option] !== "") {
    stops.push(
      reloadWhenChanged(parts, { option, file: config[option] }, () => {
        const next = oidcIssuer(config);
        if (next !== undefined) issuers.replace([next]);
      }),
    );
  }
  return issuers;
}
