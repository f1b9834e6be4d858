// `orch logout`: removes the tokens of a login from the client configuration, and revokes them. Source: RFC 7009.
import { changeConfiguration } from "@orch/client";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { discover, openidClient, told } from "./openid";
import { type LoginPlace, loginPlace, settingsOf } from "./saved-login";

export function define(command: Command, session: Session): void {
  command
    .option("--local", "only remove the tokens; do not ask the provider to revoke them")
    .action((options: { readonly local?: boolean }) => logout(session, options))
    .addHelpText("after", "\nExamples:\n  orch logout\n  orch logout --user=ann");
}

async function logout(session: Session, { local }: { readonly local?: boolean }): Promise<void> {
  const place = loginPlace(session);
  const { user, path, config } = place;
  if (!config["id-token"] && !config["refresh-token"]) {
    throw new CliError(`user ${JSON.stringify(user)} of ${path} has no login`);
  }
  await changeConfiguration(path, (file) =>
    file.setAuthProvider(user, { "id-token": undefined, "refresh-token": undefined }),
  );
  session.write(`User ${JSON.stringify(user)} of ${path} has no tokens any more.\n`);
  if (local === true) return;
  try {
    await revoke(session, place);
  } catch (error) {
    session.warn(`the tokens were not revoked and may be valid until they expire: ${(error as Error).message}`);
  }
}

async function revoke(session: Session, { config }: LoginPlace): Promise<void> {
  const { issuer = "", clientId = "", ...more } = settingsOf(config);
  const provider = await discover(session, { issuer, clientId, ...more });
  const openid = await openidClient();
  const { revocation_endpoint: revocation, end_session_endpoint: endSession } = provider.serverMetadata();
  const refreshToken = config["refresh-token"];
  if (revocation !== undefined && refreshToken) {
    await told(issuer, () => openid.tokenRevocation(provider, refreshToken, { token_type_hint: "refresh_token" }));
    session.write(`${issuer} has revoked the refresh token.\n`);
  }
  if (endSession !== undefined) {
    // The ID token is no part of the address, which others may read.
    const url = openid.buildEndSessionUrl(provider, { client_id: clientId });
    session.tell(`To end the session of the browser too, open:\n\n  ${url.href}\n`);
  } else if (revocation === undefined) {
    session.warn("the provider cannot revoke tokens: they are valid until they expire");
  }
}
