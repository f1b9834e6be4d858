// One write as admission knows it: asked about at every try, and told what has become of it.
import { type EndSignal, NEVER_ENDS } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { StatusError } from "../errors/status-error";
import type {
  Admission,
  AdmissionOptions,
  AdmissionOutcome,
  AdmissionRequest,
  AdmissionTrace,
  AnnotationLevel,
  Charge,
  MutableAdmissionRequest,
  Premise,
  StoredText,
} from "./admission";

/** What is the same in all tries. */
export interface WriteSinks {
  readonly dryRun: boolean;
  /** Absent: somebody waits, whatever happens. */
  readonly signal?: EndSignal | undefined;
  warn(text: string): void;
  /** Absent: nobody wants to know. */
  readonly trace?: AdmissionTrace | undefined;
  /** Absent: nobody audits. */
  readonly annotate?: ((key: string, value: string, level: AnnotationLevel) => void) | undefined;
}

/** What is said of one try. */
export type AskedParts = Omit<
  AdmissionRequest,
  | "uid"
  | "attempt"
  | "dryRun"
  | "signal"
  | "stored"
  | "premises"
  | "charges"
  | "trace"
  | "warn"
  | "annotate"
  | "options"
> & {
  /** Asked for where somebody looks. */
  readonly options: (() => AdmissionOptions) | undefined;
};

export class AdmittedWrite {
  private madeUid: string | undefined = undefined;
  private attempts = 0;
  /** Of the try at hand. */
  private asked: AskedRequest | undefined = undefined;

  /** @param admission undefined: nobody is asked, and there is nothing to tell */
  constructor(
    private readonly admission: Admission | undefined,
    readonly sinks: WriteSinks,
    private readonly newUid: () => string,
  ) {}

  get uid(): string {
    this.madeUid ??= this.newUid();
    return this.madeUid;
  }

  /** The request of the next try. */
  ask(parts: AskedParts): MutableAdmissionRequest {
    this.attempts += 1;
    this.sinks.trace?.again();
    this.asked = new AskedRequest(this, this.attempts, parts);
    return this.asked;
  }

  /** Nothing has come of the try at hand; there will be another. */
  giveUp(): void {
    const { asked } = this;
    this.asked = undefined;
    if (asked !== undefined) this.admission?.settled?.(asked, "undone");
  }

  /** There will be no other try. Nothing happens where the last one has been told of. */
  end(outcome: AdmissionOutcome): void {
    const { asked } = this;
    if (asked === undefined) return;
    this.asked = undefined;
    this.admission?.settled?.(asked, outcome === "done" && this.sinks.dryRun ? "undone" : outcome);
    if (asked.annotations === undefined) return;
    for (const [key, { value, level }] of asked.annotations) this.sinks.annotate?.(key, value, level);
  }

  /** @throws the error that has ended the work; what is known of it is told */
  fail(error: unknown): never {
    this.end(outcomeOf(error));
    throw error;
  }
}

/** Lets a request pass through both phases. @returns the object as admission leaves it */
export async function passAdmission(
  admission: Admission,
  request: MutableAdmissionRequest,
): Promise<JsonObject | undefined> {
  const change = admission.mutate(request);
  if (change !== undefined) await change;
  const judgement = admission.validate(request);
  if (judgement !== undefined) await judgement;
  return request.object;
}

/**
 * What is done once, and needs no other try.
 * @param work given the object as admission leaves it
 * @throws StatusError what admission, or the work, throws
 */
export async function whenAdmitted<Result>(
  admission: Admission,
  of: {
    readonly sinks: WriteSinks;
    readonly parts: AskedParts & { readonly object: JsonObject };
    newUid(): string;
  },
  work: (object: JsonObject) => Result | Promise<Result>,
): Promise<Result> {
  const write = new AdmittedWrite(admission, of.sinks, () => of.newUid());
  const { object } = of.parts;
  let admitted: JsonObject;
  try {
    admitted = (await passAdmission(admission, write.ask(of.parts))) ?? object;
  } catch (error) {
    write.end("undone");
    throw error;
  }
  try {
    const result = await work(admitted);
    write.end("done");
    return result;
  } catch (error) {
    return write.fail(error);
  }
}

/** Reasons of those who cannot say whether they have done it. */
const UNSURE: ReadonlySet<string> = new Set(["Timeout", "InternalError", "ServiceUnavailable"]);

/** What is known of work that has begun, and failed so. */
function outcomeOf(error: unknown): AdmissionOutcome {
  return error instanceof StatusError && !UNSURE.has(error.reason) ? "undone" : "unknown";
}

interface Annotation {
  readonly value: string;
  readonly level: AnnotationLevel;
}

/** One shape, whatever is asked about. */
class AskedRequest implements MutableAdmissionRequest {
  annotations: Map<string, Annotation> | undefined = undefined;
  readonly operation;
  readonly definition;
  readonly version;
  readonly kind;
  readonly subresource;
  readonly namespace;
  readonly name;
  readonly pathName;
  readonly user;
  object: JsonObject | undefined;
  readonly oldObject;
  stored: StoredText | undefined = undefined;
  readonly premises: Premise[] = [];
  readonly charges: Charge[] = [];
  private readonly optionsOf;

  constructor(
    private readonly write: AdmittedWrite,
    readonly attempt: number,
    parts: AskedParts,
  ) {
    this.operation = parts.operation;
    this.definition = parts.definition;
    this.version = parts.version;
    this.kind = parts.kind;
    this.subresource = parts.subresource;
    this.namespace = parts.namespace;
    this.name = parts.name;
    this.pathName = parts.pathName;
    this.user = parts.user;
    this.object = parts.object;
    this.oldObject = parts.oldObject;
    this.optionsOf = parts.options;
  }

  get uid(): string {
    return this.write.uid;
  }

  get dryRun(): boolean {
    return this.write.sinks.dryRun;
  }

  get options(): AdmissionOptions | undefined {
    return this.optionsOf?.();
  }

  get signal(): EndSignal {
    return this.write.sinks.signal ?? NEVER_ENDS;
  }

  get trace(): AdmissionTrace | undefined {
    return this.write.sinks.trace;
  }

  warn(text: string): void {
    this.write.sinks.warn(text);
  }

  annotate(key: string, value: string, level: AnnotationLevel = "Metadata"): void {
    this.annotations ??= new Map();
    if (!this.annotations.has(key)) this.annotations.set(key, { value, level });
  }
}
