// Device authorization flow: the user enters a code on another device. Source: RFC 8628.
import { visible } from "../../../output/columns";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { openidClient, type Provider, type Tokens } from "./openid";

export async function deviceFlow(
  session: Session,
  provider: Provider,
  { scope }: { readonly scope: string },
): Promise<Tokens> {
  const openid = await openidClient();
  if (provider.serverMetadata().device_authorization_endpoint === undefined) {
    throw new CliError("it offers no login with a device code: log in without --device");
  }
  const asked = await openid.initiateDeviceAuthorization(provider, { scope });
  const { verification_uri: url, verification_uri_complete: whole, user_code: code } = asked;
  session.tell(`Log in at this address on any device:\n\n  ${visible(whole ?? url)}\n\nIts code is ${visible(code)}.`);
  return openid.pollDeviceAuthorizationGrant(provider, asked, undefined, { signal: session.signal });
}
