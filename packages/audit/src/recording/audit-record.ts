// One audited request. Collects its attributes and sends an event at each stage to the interested sinks.
import { errorFields, type Log } from "@orch/platform";
import type { ApiResponse, RequestAudit, RequestContext } from "@orch/request";
import {
  AUDIT_LEVELS,
  type AuditEvent,
  type AuditedBody,
  type AuditedLevel,
  type AuditedRequest,
  type AuditInterest,
  type AuditSink,
  type AuditStage,
} from "../event/audit-event";
import { auditedBody } from "../event/audited-body";
import { both } from "../event/both";

/** Maximum size of an answer that is kept for the audit; a larger answer is not kept. */
const ANSWER_MAX_BYTES = 10 * 1024 * 1024;
/** Maximum size of all kept bodies together, each kept until the last event of its request. */
const BODIES_MAX_BYTES = 128 * 1024 * 1024;

/** Memory used by bodies that are kept for the audit alone. */
export class BodyMemory {
  private bytes = 0;

  /** @returns whether the budget allows it */
  take(bytes: number): boolean {
    if (this.bytes + bytes > BODIES_MAX_BYTES) return false;
    this.bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.bytes -= bytes;
  }
}

export interface AuditRecordDeps {
  readonly auditSinks: readonly AuditSink[];
  readonly logger: Log;
  readonly kept: BodyMemory;
  /** Annotation key for the fields that a write changed; undefined: not annotated. */
  readonly changedFieldsKey: string | undefined;
}

interface Listening {
  readonly sink: AuditSink;
  readonly interest: AuditInterest;
}

export class AuditRecord implements RequestAudit {
  private readonly request: AuditedRequest;
  private readonly level: AuditedLevel;
  private body: Buffer | undefined;
  private hasPanicked = false;
  private answer: Buffer[] | undefined;
  private answerBytes = 0;
  private keptBytes = 0;
  private isCut = false;
  private refusal: (() => string) | undefined;
  private remark: string | undefined;

  /** @returns undefined when no sink audits the request */
  static of(response: ApiResponse, deps: AuditRecordDeps): AuditRecord | undefined {
    const { context } = response.req;
    let listening: Listening[] | undefined;
    for (const sink of deps.auditSinks) {
      const interest = sink.wants(context);
      if (interest === undefined) continue;
      // Usually there is one sink. A list that grows allocates room for seventeen.
      if (listening === undefined) listening = [{ sink, interest }];
      else listening.push({ sink, interest });
    }
    return listening && new AuditRecord(response, listening, deps);
  }

  private constructor(
    private readonly response: ApiResponse,
    private readonly listening: readonly Listening[],
    private readonly deps: AuditRecordDeps,
  ) {
    const { method = "", headers, context, socket } = response.req;
    const { id, target: uri, info, user, receivedAt } = context;
    const address = socket?.remoteAddress ?? "";
    this.request = { id, method, uri, headers, info, user, address, receivedAt: wallTime(receivedAt), note: undefined };
    this.level = highest(listening);
    this.answer = this.takesAnswers ? [] : undefined;
  }

  get takesAnswers(): boolean {
    const { info } = this.request;
    // The states of objects in their history may be secret, and policies name the resources of objects.
    return this.level === "RequestResponse" && info.route !== undefined && info.kind !== "history";
  }

  keepBody(body: Buffer): void {
    if (this.level === "Metadata" || body.length === 0) return;
    if (this.keeps(body.length)) this.body = body;
  }

  panicked(): void {
    this.hasPanicked = true;
  }

  whole(bytes: Buffer): void {
    this.take(bytes, bytes.length);
  }

  /** The buffer is copied, because its owner reuses the memory. */
  piece(bytes: Buffer): void {
    if (this.answer !== undefined) this.take(Buffer.from(bytes), bytes.length);
  }

  private take(bytes: Buffer, length: number): void {
    if (this.answer === undefined) return;
    this.answerBytes += length;
    if (this.answerBytes <= ANSWER_MAX_BYTES && this.keeps(length)) this.answer.push(bytes);
    else {
      this.answer = undefined;
      this.isCut = true;
    }
  }

  private keeps(bytes: number): boolean {
    if (!this.deps.kept.take(bytes)) {
      this.isCut = true;
      return false;
    }
    this.keptBytes += bytes;
    return true;
  }

  /** @throws the error of a sink */
  received(): void | Promise<void> {
    let waits: Promise<void> | undefined;
    for (const { sink, interest } of this.listening) {
      if (!interest.omits.has("RequestReceived"))
        waits = both(waits, sink.hear(this.event("RequestReceived", interest)));
    }
    return waits;
  }

  started(): void {
    this.tell("ResponseStarted");
  }

  /** The request has one event and no authenticated user. @param remark called at the end of the request */
  refused(remark: () => string): void {
    this.refusal = remark;
  }

  ended(): void {
    if (this.refusal !== undefined) {
      this.remark = this.refusal();
      this.tell("ResponseStarted");
      return;
    }
    this.tell(this.hasPanicked ? "Panic" : "ResponseComplete");
    this.deps.kept.giveBack(this.keptBytes);
    this.keptBytes = 0;
  }

  private tell(stage: AuditStage): void {
    for (const { sink, interest } of this.listening) {
      if (interest.omits.has(stage)) continue;
      try {
        const late = sink.hear(this.event(stage, interest));
        if (late instanceof Promise) late.catch((error: unknown) => this.lost(stage, error));
      } catch (error) {
        this.lost(stage, error);
      }
    }
  }

  private lost(stage: AuditStage, error: unknown): void {
    this.deps.logger.error("an audit event was dropped", { stage, ...errorFields(error) });
  }

  private event(stage: AuditStage, { level, omitManagedFields }: AuditInterest): AuditEvent {
    const { request, response } = this;
    const { context } = response.req;
    const isOver = stage !== "RequestReceived";
    return {
      level,
      stage,
      stageAt: isOver ? request.receivedAt + (performance.now() - context.receivedAt) : request.receivedAt,
      request,
      impersonated: context.user === request.user ? undefined : context.user,
      impersonationConstraint: context.impersonationConstraint,
      code: isOver ? response.statusCode : undefined,
      status: isOver ? (context.failure ?? context.success) : undefined,
      answered: response.headersSent,
      remark: this.remark,
      sent: context.sent,
      annotations: this.annotations(context, level),
      requestBody: level === "Metadata" ? undefined : this.requestBody(context),
      responseBody: level === "RequestResponse" ? this.responseBody(context) : undefined,
      isCut: this.isCut && level !== "Metadata",
      omitManagedFields,
    };
  }

  private annotations(
    { auditAnnotations, sharedAnnotations, changedFields, failure }: RequestContext,
    level: AuditedLevel,
  ): Readonly<Record<string, string>> {
    if (changedFields === undefined) {
      if (auditAnnotations === undefined) return NO_ANNOTATIONS;
      if (sharedAnnotations !== undefined) return sharedAnnotations.shown;
    }
    const shown: Record<string, string> = {};
    const { changedFieldsKey } = this.deps;
    if (auditAnnotations !== undefined) {
      for (const [key, each] of auditAnnotations) if (rank(each.level) <= rank(level)) shown[key] = each.value;
    }
    // A failed write has changed nothing.
    if (changedFieldsKey !== undefined && changedFields !== undefined && failure === undefined) {
      shown[changedFieldsKey] = JSON.stringify(changedFields);
    }
    return shown;
  }

  private requestBody({ negotiation }: RequestContext): AuditedBody | undefined {
    const { body, request } = this;
    const kind = request.info.route?.bodies;
    if (body === undefined || body.length === 0 || kind === undefined) return undefined;
    const contentType = String(request.headers["content-type"] ?? "");
    return auditedBody(body, { contentType, isOwn: false, schema: negotiation.schema, kind });
  }

  private responseBody({ negotiation, contentType, failure }: RequestContext): AuditedBody | undefined {
    const { answer, request } = this;
    const kind = request.info.route?.bodies;
    if (answer === undefined || answer.length === 0 || failure !== undefined || kind === undefined) return undefined;
    const bytes = answer.length === 1 ? (answer[0] as Buffer) : Buffer.concat(answer);
    return auditedBody(bytes, { contentType, isOwn: true, schema: negotiation.schema, kind });
  }
}

const NO_ANNOTATIONS = Object.freeze({});

const rank = (level: AuditedLevel): number => AUDIT_LEVELS.indexOf(level);

function highest(listening: readonly Listening[]): AuditedLevel {
  let level: AuditedLevel = "Metadata";
  for (const { interest } of listening) if (rank(interest.level) > rank(level)) level = interest.level;
  return level;
}

let offsetMs = performance.timeOrigin;
let comparedMs = Number.NEGATIVE_INFINITY;

/** The two clocks drift apart over days; the times of one request come from one clock. */
export function wallTime(elapsedMs: number): number {
  if (Math.abs(elapsedMs - comparedMs) > COMPARED_EVERY_MS) {
    comparedMs = elapsedMs;
    const nowOffsetMs = Date.now() - performance.now();
    if (Math.abs(nowOffsetMs - offsetMs) > DRIFT_MAX_MS) offsetMs = nowOffsetMs;
  }
  return offsetMs + elapsedMs;
}

const COMPARED_EVERY_MS = 10;
const DRIFT_MAX_MS = 5;
