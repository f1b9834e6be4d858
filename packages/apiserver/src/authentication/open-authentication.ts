// What is asked of others about who somebody is, as the options describe it, opened: what has to be read and fetched for it.
import type { TokenAuthenticator } from "@orch/auth";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";
import { SettingsError } from "../flags/settings";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";
import { reloadWhenChanged } from "../option-files/reloaded-file";
import { oidcIssuer } from "./oidc-options";
import { TrustedIssuers } from "./trusted-issuers";

export interface AuthenticationParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

export interface OpenAuthentication {
  /** Of issuers that are trusted; undefined: of none. */
  readonly issued: TokenAuthenticator | undefined;
  close(): void;
}

/** @throws SettingsError for a file that cannot be used */
export async function openAuthentication(parts: AuthenticationParts): Promise<OpenAuthentication> {
  const stops: (() => void)[] = [];
  const issuers = openOidc(parts, stops);
  return {
    issued: issuers?.tokens,
    close() {
      for (const stop of stops) stop();
    },
  };
}

function openOidc(parts: AuthenticationParts, stops: (() => void)[]): TrustedIssuers | undefined {
  const { config } = parts;
  const issuer = settled(() => oidcIssuer(config));
  if (issuer === undefined) return undefined;
  const issuers = new TrustedIssuers([issuer], parts);
  stops.push(() => issuers.stop());
  const option = "oidc-ca-file";
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

function settled<Made>(read: () => Made): Made {
  try {
    return read();
  } catch (error) {
    throw new SettingsError([(error as Error).message]);
  }
}
