// Output of commands about the objects that they changed: `pod/web created`, or the objects as they are now.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { visible } from "../../output/columns";
import { addFormatOptions, type FormatOptions, type ObjectFormat, objectFormat } from "../../output/object-format";
import { ObjectPrinter } from "../../output/object-printer";
import type { Session } from "../../session/session";
import type { DryRun } from "./options";
import { type Target, targetText } from "./targets";

export interface OutcomeOptions extends FormatOptions {
  readonly dryRun?: DryRun;
}

/** Adds `-o`. */
export const addOutput = (command: Command): Command => addFormatOptions(command);

const SUFFIXES: Readonly<Record<DryRun, string>> = {
  none: "",
  client: " (dry run)",
  server: " (server dry run)",
};

export class Outcomes {
  private readonly held: JsonObject[] = [];
  private readonly format: ObjectFormat | undefined;
  private readonly printer: ObjectPrinter | undefined;

  /** @param isList several objects are printed as one list, as `apply` prints them */
  constructor(
    private readonly session: Session,
    private readonly options: OutcomeOptions,
    private readonly isList = false,
  ) {
    this.format = objectFormat(options);
    if (this.format !== undefined) this.printer = new ObjectPrinter(this.format, options);
  }

  /**
   * Prints an object that was changed.
   * @param verb such as `created`; "": nothing was done
   * @param write writes to standard output
   */
  tell(target: Target, verb: string, object?: JsonObject, write = (text: string) => this.session.write(text)): void {
    const { printer, format, options } = this;
    if (printer === undefined && verb === "") return;
    if (printer === undefined) write(`${visible(targetText(target))} ${verb}${SUFFIXES[options.dryRun ?? "none"]}\n`);
    else if (format?.kind === "name") write(`${visible(targetText(target))}\n`);
    else if (object !== undefined && this.isList) this.held.push(object);
    else if (object !== undefined) write(printer.text(object));
  }

  /** Prints what was held back for a list. */
  end(): void {
    const [first] = this.held;
    if (first === undefined || this.printer === undefined) return;
    const whole: JsonObject =
      this.held.length === 1
        ? first
        : { apiVersion: "v1", items: this.held, kind: "List", metadata: { resourceVersion: "" } };
    this.session.write(this.printer.text(whole));
  }
}
