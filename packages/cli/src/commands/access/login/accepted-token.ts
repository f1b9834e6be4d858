// Check after a login: whether the server of the context accepts the token.
import { resolveContext } from "@orch/client";
import { StatusError } from "@orch/machinery";
import type { Session } from "../../../session/session";
import type { LoginPlace } from "./saved-login";

const TIMEOUT_MS = 10_000;

/** Warns when the server refuses the token. A server that is away is no reason to fail. */
export async function warnUnlessAccepted(session: Session, place: LoginPlace, token: string): Promise<void> {
  if (place.context === "") return;
  const configuration = place.files.load();
  const users = new Map([...configuration.users, [place.user, { token }]]);
  try {
    const connection = resolveContext({ ...configuration, users }, { context: place.context, user: place.user });
    const client = session.newClient({ connection, timeoutMs: TIMEOUT_MS });
    await client.getJson("/version");
    await client.getJson("/api");
  } catch (error) {
    if (error instanceof StatusError && error.code === 401) {
      session.warn("the server does not accept the token: it must trust the issuer and the client id");
    } else if (!(error instanceof StatusError)) {
      session.warn(`the server could not be asked whether it accepts the token: ${(error as Error).message}`);
    }
  }
}
