// `orch login`: logs in with an OpenID Connect provider and stores the tokens with a user of the client configuration.
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import { collected } from "../../../process/global-options";
import type { Session } from "../../../session/session";
import { warnUnlessAccepted } from "./accepted-token";
import { codeFlow } from "./code-flow";
import { deviceFlow } from "./device-flow";
import { discover, fileText, type Provider, type ProviderSettings, type Tokens, told } from "./openid";
import { loginPlace, saveLogin, settingsOf } from "./saved-login";

export interface LoginOptions {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly issuerCa?: string;
  readonly scope?: readonly string[];
  readonly device?: boolean;
  readonly browser: boolean;
  readonly listenPort?: string;
}

export function define(command: Command, session: Session): void {
  command
    .option("--issuer <url>", "URL of the OpenID Connect provider; default: that of the last login")
    .option("--client-id <id>", "client that the provider knows; default: that of the last login")
    .option("--client-secret-file <file>", "file with the secret of the client, if it has one")
    .option("--issuer-ca <file>", "certificates of the authorities of the provider")
    .option("--scope <scope>", "further scope, such as groups; may be repeated", collected)
    .option("--device", "log in with a code on another device")
    .option("--no-browser", "only print the address; do not open a browser")
    .option("--listen-port <port>", "port of the redirect on 127.0.0.1; default: any free port")
    .action((options: LoginOptions) => login(session, options))
    .addHelpText(
      "after",
      "\nExamples:\n  orch login --issuer=https://id.example.com --client-id=orch\n  orch login --device\n\nThe provider must allow the redirect http://127.0.0.1/callback with any port, or with that of --listen-port.",
    );
}

async function login(session: Session, options: LoginOptions): Promise<void> {
  const place = loginPlace(session);
  const settings = settingsFrom(options, settingsOf(place.config));
  const provider = await discover(session, settings);
  const scope = scopesOf(provider, options.scope ?? []);
  const tokens = await told<Tokens>(settings.issuer, () =>
    options.device === true
      ? deviceFlow(session, provider, { scope })
      : codeFlow(session, provider, {
          scope,
          port: portOf(options.listenPort),
          opensBrowser: options.browser && session.io.stderr.isTTY === true,
        }),
  );
  const { id_token: idToken, refresh_token: refreshToken } = tokens;
  const claims = tokens.claims();
  if (idToken === undefined || claims === undefined) {
    throw new CliError(`the issuer ${settings.issuer} gave no ID token: it must allow the scope openid`);
  }
  await saveLogin(place, settings, { idToken, refreshToken });
  const until = new Date(claims.exp * 1000).toISOString();
  const { email, preferred_username: preferred } = claims as Readonly<Record<string, unknown>>;
  const name = [preferred, email, claims.sub].find((each) => typeof each === "string") as string;
  session.write(`Logged in to ${settings.issuer} as ${name}.\n`);
  session.write(`User ${JSON.stringify(place.user)} of ${place.path} has the tokens.\n`);
  if (refreshToken === undefined) {
    session.warn(
      `the provider gave no refresh token: log in again at ${until}, or allow the client the scope offline_access`,
    );
  }
  await warnUnlessAccepted(session, place, idToken);
}

function settingsFrom(options: LoginOptions, stored: Partial<ProviderSettings>): ProviderSettings {
  const { clientSecretFile, issuerCa } = options;
  const issuer = options.issuer ?? stored.issuer;
  const clientId = options.clientId ?? stored.clientId;
  if (!issuer || !clientId) {
    const missing = [...(issuer ? [] : ["--issuer"]), ...(clientId ? [] : ["--client-id"])].join(" and ");
    throw new CliError(`${missing}: the context has no login yet: name the provider with --issuer and --client-id`);
  }
  const isSame = options.issuer === undefined || options.issuer === stored.issuer;
  const secret = clientSecretFile === undefined ? undefined : fileText("--client-secret-file", clientSecretFile).trim();
  const ca = issuerCa === undefined ? undefined : fileText("--issuer-ca", issuerCa);
  const clientSecret = secret ?? (isSame && clientId === stored.clientId ? stored.clientSecret : undefined);
  const trusted = ca ?? (isSame ? stored.ca : undefined);
  return {
    issuer,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(trusted === undefined ? {} : { ca: trusted }),
  };
}

/** Scopes that are requested when the provider has them: they name the user, and allow to refresh the tokens. */
const WANTED = ["profile", "email", "groups", "offline_access"];

function scopesOf(provider: Provider, further: readonly string[]): string {
  const { scopes_supported: known } = provider.serverMetadata();
  const wanted = known === undefined ? ["offline_access"] : WANTED.filter((scope) => known.includes(scope));
  return [...new Set(["openid", ...wanted, ...further])].join(" ");
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CliError(`--listen-port: ${JSON.stringify(text)} is not a port`);
}
