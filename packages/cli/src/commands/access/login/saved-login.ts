// The user of the client configuration that has the tokens of a login, in the form that kubectl reads: auth-provider
// `oidc`. Source: client-go/plugin/pkg/client/auth/oidc/oidc.go.
import { changeConfiguration } from "@orch/client";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { fileText, type ProviderSettings } from "./openid";

export type StoredConfig = Readonly<Record<string, string | undefined>>;

export interface LoginPlace {
  readonly files: ConfigurationFiles;
  readonly user: string;
  /** File of the user. */
  readonly path: string;
  /** Context that uses the user after the login; "" when there is none. */
  readonly context: string;
  /** Stored values of an earlier login. */
  readonly config: StoredConfig;
}

/**
 * Returns the user to log in: that of the option, or that of the context if it has logged in before, or a new one. The
 * credentials of another user of the context stay.
 */
export function loginPlace(session: Session): LoginPlace {
  const files = new ConfigurationFiles(session);
  const { contexts, users, currentContext } = files.load();
  const { options } = session;
  const context = options.context ?? currentContext;
  if (context !== "" && !contexts.has(context)) throw new CliError(`context ${JSON.stringify(context)} does not exist`);
  const own = contexts.get(context)?.user ?? "";
  const isLogin = (name: string) =>
    (users.get(name)?.["auth-provider"] as { name?: unknown } | undefined)?.name === "oidc";
  const user = options.user ?? (isLogin(own) ? own : `${context === "" ? "" : `${context}-`}oidc`);
  const provider = users.get(user)?.["auth-provider"] as { readonly config?: StoredConfig } | undefined;
  return { files, user, path: files.pathOf("users", user), context, config: (isLogin(user) && provider?.config) || {} };
}

export function settingsOf(config: StoredConfig): Partial<ProviderSettings> {
  const { "idp-issuer-url": issuer, "client-id": clientId, "client-secret": clientSecret } = config;
  const { "idp-certificate-authority-data": data, "idp-certificate-authority": path } = config;
  const ca = data
    ? Buffer.from(data, "base64").toString("utf8")
    : path
      ? fileText("idp-certificate-authority", path)
      : undefined;
  return {
    ...(issuer && { issuer }),
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(ca && { ca }),
  };
}

export async function saveLogin(
  { user, path, context, files }: LoginPlace,
  { issuer, clientId, clientSecret, ca }: ProviderSettings,
  { idToken, refreshToken }: { readonly idToken: string; readonly refreshToken: string | undefined },
): Promise<void> {
  const config = {
    "idp-issuer-url": issuer,
    "client-id": clientId,
    ...(clientSecret !== undefined && { "client-secret": clientSecret }),
    ...(ca !== undefined && { "idp-certificate-authority-data": Buffer.from(ca).toString("base64") }),
    "id-token": idToken,
    ...(refreshToken !== undefined && { "refresh-token": refreshToken }),
  };
  const others = ["token", "tokenFile", "username", "password", "exec"].map((field) => [field, undefined]);
  await changeConfiguration(path, (file) =>
    file.setUser(user, { ...Object.fromEntries(others), "auth-provider": { name: "oidc", config } }),
  );
  if (context !== "" && files.load().contexts.get(context)?.user !== user) {
    await files.changeEntry("contexts", context, (file) => file.setContext(context, { user }));
  }
}
