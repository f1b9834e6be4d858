// `orch create token`: requests a token of a service account.
import { parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { formatted } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import { separated } from "../../../process/global-options";
import type { Session } from "../../../session/session";
import { clientOf } from "../targets";

interface Options {
  readonly duration?: string;
  readonly audience?: readonly string[];
  readonly boundObjectKind?: string;
  readonly boundObjectName?: string;
  readonly boundObjectUid?: string;
  readonly output?: string;
}

/** API versions of the kinds that a token can be bound to. */
const BOUND: Readonly<Record<string, string>> = { Pod: "v1", Secret: "v1", Node: "v1" };

export function addToken(create: Command, session: Session): void {
  const command = create
    .command("token")
    .exitOverride()
    .helpCommand(false)
    .description("request a token of a service account")
    .argument("<service-account>")
    .option("--duration <duration>", "life of the token, such as 10m; the server may give another one")
    .option("--audience <name>", "audience of the token; may be repeated", separated)
    .option("--bound-object-kind <kind>", "Pod, Secret or Node that the token is bound to")
    .option("--bound-object-name <name>", "name of that object")
    .option("--bound-object-uid <uid>", "UID of that object");
  command.action(async (name: string) => {
    const options = command.optsWithGlobals<Options>();
    const names = await session.vocabulary();
    const type = await (await session.catalog()).forName("serviceaccounts");
    const client = await clientOf(session, { type, namespace: session.namespace });
    const request = {
      apiVersion: `${names.groups.authentication}/v1`,
      kind: "TokenRequest",
      metadata: {},
      spec: specOf(options),
    };
    const answer = await client.createSubresource<JsonObject>(name, "token", request, { signal: session.signal });
    const { token = "" } = (answer["status"] ?? {}) as { readonly token?: string };
    if (token === "") throw new CliError(`failed to create token: no token in token request returned by server`);
    session.write(
      options.output === "json" || options.output === "yaml" ? formatted(answer, options.output) : `${token}\n`,
    );
  });
}

function specOf({ duration, audience, boundObjectKind, boundObjectName, boundObjectUid }: Options): JsonObject {
  const ms = duration === undefined ? undefined : parseGoDuration(duration);
  if (duration !== undefined && (ms === undefined || ms <= 0)) {
    throw new CliError(`--duration: ${JSON.stringify(duration)} is not a positive duration, such as 10m`);
  }
  return {
    audiences: audience === undefined ? null : [...audience],
    ...(ms === undefined ? {} : { expirationSeconds: Math.ceil(ms / 1000) }),
    ...(boundObjectKind === undefined
      ? {}
      : { boundObjectRef: boundRef(boundObjectKind, boundObjectName, boundObjectUid) }),
  };
}

function boundRef(kind: string, name: string | undefined, uid: string | undefined): JsonObject {
  const apiVersion = BOUND[kind];
  if (apiVersion === undefined)
    throw new CliError(`supported --bound-object-kind values are ${Object.keys(BOUND).join(", ")}`);
  if (name === undefined) throw new CliError("--bound-object-name is required if --bound-object-kind is provided");
  return { kind, apiVersion, name, ...(uid === undefined ? {} : { uid }) };
}
