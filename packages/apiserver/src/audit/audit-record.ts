// One audited request: what is known of it, told at each of its stages to those who want it.
import { errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";
import type { ApiResponse, RequestAudit, RequestContext } from "../pipeline/request-context";
import {
  AUDIT_LEVELS,
  type AuditEvent,
  type AuditedBody,
  type AuditedLevel,
  type AuditedRequest,
  type AuditInterest,
  type AuditSink,
  type AuditStage,
} from "./audit-event";
import { auditedBody } from "./audited-body";

/** Of an answer, kept for the audit: past it nothing is. */
const ANSWER_MAX_BYTES = 10 * 1024 * 1024;

interface Listening {
  readonly sink: AuditSink;
  readonly interest: AuditInterest;
}

export class AuditRecord implements RequestAudit {
  private readonly request: AuditedRequest;
  private readonly level: AuditedLevel;
  private body: Buffer | undefined;
  private hasPanicked = false;
  private answer: Buffer[] | undefined = [];
  private answerBytes = 0;

  /** @returns undefined where nobody wants anything of the request */
  static of(response: ApiResponse, sinks: readonly AuditSink[], logger: Logger): AuditRecord | undefined {
    const { info, user } = response.req.context;
    const listening = sinks.flatMap((sink) => {
      const interest = sink.wants({ info, user });
      return interest === undefined ? [] : [{ sink, interest }];
    });
    return listening.length === 0 ? undefined : new AuditRecord(response, listening, logger);
  }

  private constructor(
    private readonly response: ApiResponse,
    private readonly listening: readonly Listening[],
    private readonly logger: Logger,
  ) {
    const { method = "", headers, context, socket } = response.req;
    const { id, target: uri, info, user, receivedAt } = context;
    const address = socket?.remoteAddress ?? "";
    this.request = { id, method, uri, headers, info, user, address, receivedAt: performance.timeOrigin + receivedAt };
    this.level = highest(listening.map(({ interest }) => interest.level));
  }

  get takesAnswers(): boolean {
    return this.level === "RequestResponse" && this.request.info.route !== undefined;
  }

  keepBody(body: Buffer): void {
    if (this.level !== "Metadata") this.body = body;
  }

  panicked(): void {
    this.hasPanicked = true;
  }

  whole(bytes: Buffer): void {
    this.take(bytes, bytes.length);
  }

  /** Whoever made it goes on to use its memory. */
  piece(bytes: Buffer): void {
    if (this.answer !== undefined) this.take(Buffer.from(bytes), bytes.length);
  }

  private take(bytes: Buffer, length: number): void {
    this.answerBytes += length;
    if (this.answerBytes > ANSWER_MAX_BYTES) this.answer = undefined;
    this.answer?.push(bytes);
  }

  /** @throws what a sink throws, or rejects */
  received(): void | Promise<void> {
    const waits = this.tellEach("RequestReceived", (sink, event) => sink.hear(event));
    if (waits.length > 0) return Promise.all(waits).then(() => {});
  }

  started(): void {
    this.tell("ResponseStarted");
  }

  finished(): void {
    this.tell(this.hasPanicked ? "Panic" : "ResponseComplete");
  }

  private tell(stage: AuditStage): void {
    const failed = (error: unknown) => this.logger.error("an audit event is lost", { stage, ...errorFields(error) });
    this.tellEach(stage, (sink, event) => {
      try {
        const late = sink.hear(event);
        if (late instanceof Promise) late.catch(failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  private tellEach(stage: AuditStage, tell: (sink: AuditSink, event: AuditEvent) => void | Promise<void>) {
    const waits: Promise<void>[] = [];
    for (const { sink, interest } of this.listening) {
      if (interest.omits.has(stage)) continue;
      const late = tell(sink, this.event(stage, interest.level));
      if (late instanceof Promise) waits.push(late);
    }
    return waits;
  }

  private event(stage: AuditStage, level: AuditedLevel): AuditEvent {
    const { request, response } = this;
    const { context } = response.req;
    const isOver = stage !== "RequestReceived";
    return {
      level,
      stage,
      stageAt: performance.timeOrigin + performance.now(),
      request,
      impersonated: context.user === request.user ? undefined : context.user,
      code: isOver ? response.statusCode : undefined,
      status: isOver ? context.failure : undefined,
      annotations: () => annotationsOf(context, level),
      requestBody: level === "Metadata" ? undefined : this.requestBody(context),
      responseBody: level === "RequestResponse" ? this.responseBody(context) : undefined,
    };
  }

  private requestBody({ negotiation }: RequestContext): AuditedBody | undefined {
    const { body, request } = this;
    if (body === undefined || body.length === 0 || request.info.route === undefined) return undefined;
    return auditedBody(body, String(request.headers["content-type"] ?? ""), negotiation.schema);
  }

  private responseBody({ negotiation, contentType, failure }: RequestContext): AuditedBody | undefined {
    const { answer } = this;
    if (answer === undefined || answer.length === 0 || failure !== undefined) return undefined;
    const bytes = answer.length === 1 ? (answer[0] as Buffer) : Buffer.concat(answer);
    return auditedBody(bytes, contentType, negotiation.schema);
  }
}

function annotationsOf({ auditAnnotations }: RequestContext, level: AuditedLevel): Readonly<Record<string, string>> {
  const shown = [...(auditAnnotations ?? [])].filter(([, each]) => rank(each.level) <= rank(level));
  return Object.fromEntries(shown.map(([key, { value }]) => [key, value]));
}

const rank = (level: AuditedLevel): number => AUDIT_LEVELS.indexOf(level);

const highest = (levels: readonly AuditedLevel[]): AuditedLevel =>
  levels.reduce((one, other) => (rank(one) >= rank(other) ? one : other));
