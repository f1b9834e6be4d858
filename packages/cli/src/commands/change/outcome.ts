// Output of commands about the objects that they changed: `pod/web created`, or the objects as they are now.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { formatted, outputOption } from "../../output/format";
import type { Session } from "../../session/session";
import type { DryRun } from "./options";
import { type Target, targetText } from "./targets";

export interface OutcomeOptions {
  readonly output?: string;
  readonly dryRun?: DryRun;
  readonly showManagedFields?: boolean;
}

/** Adds `-o`. */
export const addOutput = (command: Command): Command =>
  command
    .addOption(outputOption(["json", "yaml", "name"]))
    .option("--show-managed-fields", "print metadata.managedFields of objects too");

const SUFFIXES: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};

export class Outcomes {
  private printed = 0;
  private readonly held: JsonObject[] = [];

  /** @param isList several objects are printed as one list, as `apply` prints them */
  constructor(
    private readonly session: Session,
    private readonly options: OutcomeOptions,
    private readonly isList = false,
  ) {}

  /** Prints an object that was changed. @param verb such as `created` @param write writes to standard output */
  tell(target: Target, verb: string, object?: JsonObject, write = (text: string) => this.session.write(text)): void {
    const { output, dryRun = "none" } = this.options;
    if (output === undefined) write(`${targetText(target)} ${verb}${SUFFIXES[dryRun]}\n`);
    else if (output === "name") write(`${targetText(target)}\n`);
    else if (object !== undefined) this.printObject(object, output, write);
  }

  /** Prints what was held back for a list. */
  end(): void {
    const { output = "" } = this.options;
    const [first] = this.held;
    if (first === undefined) return;
    const whole =
      this.held.length === 1
        ? first
        : { apiVersion: "v1", items: this.held, kind: "List", metadata: { resourceVersion: "" } };
    this.session.write(formatted(whole, output));
  }

  private printObject(object: JsonObject, output: string, write: (text: string) => void): void {
    const shown = this.options.showManagedFields === true ? object : withoutManagedFields(object);
    if (this.isList) {
      this.held.push(shown);
      return;
    }
    write(`${output === "yaml" && this.printed > 0 ? "---\n" : ""}${formatted(shown, output)}`);
    this.printed += 1;
  }
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (metadata === null || typeof metadata !== "object") return object;
  const { managedFields: _, ...rest } = metadata as JsonObject;
  return { ...object, metadata: rest };
}
