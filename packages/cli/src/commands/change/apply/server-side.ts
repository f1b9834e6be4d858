// Server-side apply of one object: the server merges, and knows who owns each field.
import { isCode } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { clientOf, type Target } from "../targets";
import { migrated } from "./migration";

export interface ServerSideOptions {
  readonly fieldManager: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  readonly subresource?: string;
}

const WAYS_OUT = `The fields above are set by other field managers. There are three ways to resolve this:
* To take the fields over from the other managers, run the command again with --force-conflicts.
* To leave the fields to the other managers, remove them from your file.
* To share the fields, set them to the present values in your file. You own them alone when the other managers no
  longer set them.
See "Server-Side Apply" in the documentation of Kubernetes, section "Conflicts".`;

/** Applies the object. @returns the server's object */
export async function applyOnServer(session: Session, target: Target, options: ServerSideOptions): Promise<JsonObject> {
  const object = target.object as JsonObject;
  const client = await clientOf(session, target);
  const send = () => client.apply(object, { ...options, signal: session.signal });
  let applied: JsonObject;
  try {
    applied = await send();
  } catch (error) {
    throw conflictHelp(error);
  }
  const names = await session.vocabulary();
  if (options.dryRun || options.subresource !== undefined) return applied;
  // A former client-side apply owns fields under another name, which would keep those that the file no longer has.
  const isMigrated = await migrated({ session, target, client, names, manager: options.fieldManager }, applied);
  return isMigrated ? send() : applied;
}

function conflictHelp(error: unknown): unknown {
  if (!isCode(error, 409) || !error.message.startsWith("Apply failed with")) return error;
  return new CliError(`${error.message}\n${WAYS_OUT}`);
}
