// A request without a connection, as handlers use it, and a response that records the answer.
import type { ApiRequest, ApiResponse, RequestContext } from "@orch/request";
import type { LargeWrite, LargeWriteAnswer } from "./worker-calls";

/** Members of a request that handlers read. */
type SeenRequest = Pick<ApiRequest, "method" | "url" | "headers" | "httpVersionMajor" | "context">;

export function transferredRequest(
  { method, url, headers, httpVersionMajor }: Pick<LargeWrite, "method" | "url" | "headers" | "httpVersionMajor">,
  context: RequestContext,
): ApiRequest {
  const request: SeenRequest = { method, url, headers: headers as ApiRequest["headers"], httpVersionMajor, context };
  return request as ApiRequest;
}

/** Records one whole answer. It never closes early: a client that leaves aborts the signal of the work instead. */
export class RecordedResponse {
  headersSent = false;
  writableEnded = false;
  readonly destroyed = false;
  readonly answer: Promise<LargeWriteAnswer>;
  private readonly early: string[] = [];
  private code = 0;
  private headers: readonly string[] = [];
  private readonly parts: Buffer[] = [];
  private answered: (answer: LargeWriteAnswer) => void = () => {};

  constructor(readonly req: ApiRequest) {
    this.answer = new Promise((resolve) => {
      this.answered = resolve;
    });
  }

  /** The response as handlers use it. */
  get seen(): ApiResponse {
    return this as unknown as ApiResponse;
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    for (const each of [value].flat()) this.early.push(name, String(each));
    return this;
  }

  hasHeader(name: string): boolean {
    return this.early.some((each, at) => at % 2 === 0 && each.toLowerCase() === name.toLowerCase());
  }

  /** The client has left. */
  destroy(): void {}

  writeHead(code: number, headers: readonly string[] = []): this {
    this.headersSent = true;
    this.code = code;
    this.headers = [...this.early, ...headers];
    return this;
  }

  write(part: Buffer, done: () => void): boolean {
    this.parts.push(part);
    done();
    return true;
  }

  end(last: Buffer = NOTHING): this {
    const body = this.parts.length === 0 ? last : Buffer.concat([...this.parts, last]);
    const { dryRun, applies, contentType, failure, sent, changedFields, auditAnnotations } = this.req.context;
    this.writableEnded = true;
    this.answered({
      code: this.code,
      headers: this.headers,
      body,
      contentType,
      dryRun,
      applies,
      failure,
      sent,
      changedFields,
      auditAnnotations,
    });
    return this;
  }
}

const NOTHING = Buffer.alloc(0);
