// ID tokens of a user of an OpenID Connect provider: used while they are valid, and then refreshed. Source:
// staging/src/k8s.io/client-go/plugin/pkg/client/auth/oidc/oidc.go.
import type { Clock } from "@orch/platform";
import { isObject, readJson } from "@orch/schema";
import type { OidcConfig, OidcSettings } from "./connection-settings";
import type { CredentialDeps } from "./credential-parts";
import { OidcError, OidcProvider } from "./oidc-provider";

/** A token is refreshed this long before it expires. */
const LEEWAY_MS = 10_000;

export class OidcCredentials {
  private readonly provider: OidcProvider;
  private config: OidcConfig;
  private refreshing: Promise<string> | undefined;

  constructor(
    private readonly settings: OidcSettings,
    private readonly deps: CredentialDeps,
  ) {
    this.provider = new OidcProvider(settings.issuer, settings.ca, deps.environment);
    this.config = settings.config;
  }

  /** @throws OidcError when the token has expired and cannot be refreshed, or the new one cannot be saved */
  token(): string | Promise<string> {
    const token = this.validToken(this.config);
    if (token !== undefined) return token;
    this.refreshing ??= this.refreshed().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** The provider decides how long a token is valid. */
  rejected(): void {}

  private async refreshed(): Promise<string> {
    // Another program may have refreshed it.
    this.config = this.settings.store.read() ?? this.config;
    const known = this.validToken(this.config);
    if (known !== undefined) return known;
    const { "refresh-token": refreshToken = "", "client-secret": clientSecret = "" } = this.config;
    if (refreshToken === "") throw new OidcError("No valid id-token, and cannot refresh without refresh-token");
    const { clientId, store } = this.settings;
    const tokens = await this.provider.refreshed({ clientId, clientSecret, refreshToken });
    const changes = {
      "id-token": tokens.idToken,
      ...(tokens.refreshToken === undefined ? {} : { "refresh-token": tokens.refreshToken }),
    };
    try {
      await store.write(changes);
    } catch (error) {
      throw new OidcError(`could not persist new tokens: ${(error as Error).message}`, { cause: error });
    }
    this.config = { ...this.config, ...changes };
    return tokens.idToken;
  }

  private validToken({ "id-token": token = "" }: OidcConfig): string | undefined {
    if (token === "") return undefined;
    return this.deps.clock.now() + LEEWAY_MS < expiryOf(token) ? token : undefined;
  }
}

/** Reads the time of expiry without verifying the token. @returns milliseconds since the epoch @throws OidcError */
function expiryOf(token: string): number {
  const [, payload, signature, ...rest] = token.split(".");
  const invalid = () => new OidcError("the ID token is not a valid JWT");
  if (payload === undefined || signature === undefined || rest.length > 0) throw invalid();
  try {
    const claims = readJson(Buffer.from(payload, "base64url").toString("utf8"));
    const seconds = isObject(claims) ? Number(claims["exp"]) : Number.NaN;
    // A token without a time of expiry counts as expired.
    return Number.isFinite(seconds) ? Math.trunc(seconds) * 1000 : 0;
  } catch {
    throw invalid();
  }
}

/** Credentials of the process by server, issuer, client and user: several clients must not use one refresh token twice. */
const known = new WeakMap<Clock, Map<string, OidcCredentials>>();

/** Returns the credentials that all clients of a server share. */
export function sharedOidcCredentials(server: string, settings: OidcSettings, deps: CredentialDeps): OidcCredentials {
  const ofClock = known.get(deps.clock) ?? new Map<string, OidcCredentials>();
  known.set(deps.clock, ofClock);
  const key = JSON.stringify([server, settings.issuer, settings.clientId, settings.store.id]);
  const found = ofClock.get(key) ?? new OidcCredentials(settings, deps);
  ofClock.set(key, found);
  return found;
}
