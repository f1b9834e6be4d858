// Waits until definitions of custom resources are established, so that their objects can be written.
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { observe } from "../observe";
import type { Target } from "../targets";

const ESTABLISH_MS = 60_000;

/** Settles when the definitions are established. @throws CliError that tells what is wrong with a definition */
export async function established(session: Session, definitions: readonly Target[]): Promise<void> {
  if (definitions.length === 0) return;
  await observe(session, definitions, {
    timeoutMs: ESTABLISH_MS,
    decide: ({ name }, object) => {
      const conditions = conditionsOf(object);
      const refused = conditions.find(({ type, status }) => type === "NamesAccepted" && status === "False");
      if (refused !== undefined) {
        throw new CliError(
          `the definition ${name} is not served: its names are not accepted: ${String(refused["message"])}`,
        );
      }
      return conditions.some(({ type, status }) => type === "Established" && status === "True");
    },
    late: (late) =>
      new CliError(`the definitions are not established after 60 s: ${late.map(({ name }) => name).join(", ")}`),
  });
  await (await session.catalog()).refresh();
}

function conditionsOf(object: JsonObject | undefined): readonly JsonObject[] {
  const { conditions } = (object?.["status"] ?? {}) as { readonly conditions?: readonly JsonObject[] };
  return conditions ?? [];
}
