// A write from the view of admission: reviewed at every attempt, and notified of its outcome.
import { type EndSignal, NEVER_ENDS, type TraceSpan } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { StatusError } from "../errors/status-error";
import type { UserInfo } from "../requests/user-info";
import type {
  Admission,
  AdmissionOptions,
  AdmissionOutcome,
  AdmissionRequest,
  AdmissionTrace,
  AnnotationLevel,
  MutableAdmissionRequest,
  Precondition,
  QuotaReservation,
  StoredText,
} from "./admission";

/** Parts that are the same in all attempts. */
export interface WriteSinks {
  readonly dryRun: boolean;
  /** Absent: the request does not end early. */
  readonly signal?: EndSignal | undefined;
  warn(text: string): void;
  /** Absent: no trace is requested. */
  readonly trace?: AdmissionTrace | undefined;
  /** Span under which the steps of admission are recorded. Absent: the write is not traced. */
  readonly span?: TraceSpan | undefined;
  /** Absent: no audit event is recorded. */
  readonly annotate?: ((key: string, value: string, level: AnnotationLevel) => void) | undefined;
  /** The client, for the history of the object; see `WriteContext` of the registry. */
  readonly user?: UserInfo;
  readonly verb?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly manager?: string | undefined;
  readonly subresource?: { readonly name: string } | undefined;
}

/** Parts of the request that are specific to one attempt. */
export type AttemptAttributes = Omit<
  AdmissionRequest,
  | "uid"
  | "attempt"
  | "dryRun"
  | "signal"
  | "stored"
  | "preconditions"
  | "reservations"
  | "trace"
  | "span"
  | "warn"
  | "annotate"
  | "options"
> & {
  /** Returns the options; called only when a plugin reads them. */
  readonly options: (() => AdmissionOptions) | undefined;
};

export class AdmittedWrite {
  private madeUid: string | undefined = undefined;
  private attempts = 0;
  /** Request of the current attempt. */
  private asked: AskedRequest | undefined = undefined;

  /** @param admission undefined: the write is not reviewed, and no outcome is notified */
  constructor(
    private readonly admission: Admission | undefined,
    readonly sinks: WriteSinks,
    private readonly newUid: () => string,
  ) {}

  get uid(): string {
    this.madeUid ??= this.newUid();
    return this.madeUid;
  }

  /** Returns the request of the next attempt. */
  ask(parts: AttemptAttributes): MutableAdmissionRequest {
    this.attempts += 1;
    this.sinks.trace?.again();
    this.asked = new AskedRequest(this, this.attempts, parts);
    return this.asked;
  }

  /** Abandons the current attempt; another one follows. */
  giveUp(): void {
    const { asked } = this;
    this.asked = undefined;
    if (asked !== undefined) this.admission?.settled?.(asked, "undone");
  }

  /** Ends the write. Has no effect when the outcome of the last attempt has been notified already. */
  end(outcome: AdmissionOutcome): void {
    const { asked } = this;
    if (asked === undefined) return;
    this.asked = undefined;
    this.admission?.settled?.(asked, outcome === "done" && this.sinks.dryRun ? "undone" : outcome);
    if (asked.annotations === undefined) return;
    for (const [key, { value, level }] of asked.annotations) this.sinks.annotate?.(key, value, level);
  }

  /**
   * Ends the write with the outcome that the error implies.
   * @throws the error
   */
  fail(error: unknown): never {
    this.end(outcomeOf(error));
    throw error;
  }
}

/**
 * Runs both phases of admission.
 * @returns the object after mutation
 */
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
 * Runs work that is admitted once, without further attempts.
 * @param work receives the object after mutation
 * @throws StatusError from admission or from the work
 */
export async function whenAdmitted<Result>(
  admission: Admission,
  of: {
    readonly sinks: WriteSinks;
    readonly parts: AttemptAttributes & { readonly object: JsonObject };
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

/** Reasons of errors that leave the outcome open. */
const UNSURE: ReadonlySet<string> = new Set(["Timeout", "InternalError", "ServiceUnavailable"]);

/** Returns the outcome of work that failed with an error. */
function outcomeOf(error: unknown): AdmissionOutcome {
  return error instanceof StatusError && !UNSURE.has(error.reason) ? "undone" : "unknown";
}

interface Annotation {
  readonly value: string;
  readonly level: AnnotationLevel;
}

/** Uses one hidden class for all requests. */
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
  readonly preconditions: Precondition[] = [];
  readonly reservations: QuotaReservation[] = [];
  span: TraceSpan | undefined;
  private readonly optionsOf;

  constructor(
    private readonly write: AdmittedWrite,
    readonly attempt: number,
    parts: AttemptAttributes,
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
    this.span = write.sinks.span;
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
