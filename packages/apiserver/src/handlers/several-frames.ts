// The frames of a watch of several resources: a JSON object in a line, or an event of a Server-Sent Events stream. Each
// frame is that of a watch of the resource alone, and the name of the resource. Source: docs/lists.md, "Watches of
// several resources"; the HTML standard, "Server-sent events".
import { JSON_TYPE } from "@orch/http-server";
import { NOT_ACCEPTABLE_TEXT, notAcceptable, parseAccept, toStatus } from "@orch/machinery";
import type { PartEvent, WatchEvent } from "@orch/registry";
import type { AnswerForms, ObjectForm, RefusedPart } from "@orch/request";
import type { Vocabulary } from "@orch/schema";

export interface StreamKind {
  readonly isEvents: boolean;
  readonly contentType: string;
  /** @throws StatusError NotAcceptable (406) */
  form(forms: AnswerForms, asked: Parameters<AnswerForms["inStream"]>[0]): ObjectForm;
}

const EVENTS_TYPE = "text/event-stream";
const LINES_TYPE = "application/x-ndjson";
const TYPES: ReadonlySet<string> = new Set([EVENTS_TYPE, LINES_TYPE, JSON_TYPE, "application/*", "*/*"]);
const OFFERED = [`${JSON_TYPE};stream=watch`, LINES_TYPE, EVENTS_TYPE];

/** @param accept header of the request @throws StatusError NotAcceptable (406) */
export function streamKindFor(accept = ""): StreamKind {
  const type = accept === "" ? JSON_TYPE : parseAccept(accept).find((clause) => TYPES.has(clause.type))?.type;
  if (type === undefined) throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes(OFFERED));
  const asJson = accept.replaceAll(/text\/event-stream|application\/x-ndjson/gi, JSON_TYPE);
  return {
    isEvents: type === EVENTS_TYPE,
    contentType: type === EVENTS_TYPE || type === LINES_TYPE ? type : JSON_TYPE,
    form(forms, asked) {
      const form = forms.inStream(asked, asJson);
      if (form === undefined) throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes(OFFERED));
      return form;
    },
  };
}

/** The frames of one resource. */
export class PartFrames {
  private readonly framer: (event: WatchEvent) => Buffer;
  private readonly known: WeakMap<Buffer, Buffer>;
  private readonly start: string;

  constructor(
    name: string,
    form: ObjectForm,
    private readonly kind: StreamKind,
  ) {
    this.framer = form.framer();
    this.known = framesOf(form, kind);
    this.start = `{"resource":${JSON.stringify(name)},`;
  }

  frame({ event, reached }: PartEvent): Buffer {
    const inner = this.framer(event);
    // Many streams send the frame of one change with its own revision.
    if (event.type === "ERROR" || reached !== event.resourceVersion) return this.made(inner, event, reached);
    let frame = this.known.get(inner);
    if (frame === undefined) {
      frame = this.made(inner, event, reached);
      this.known.set(inner, frame);
    }
    return frame;
  }

  private made(inner: Buffer, event: WatchEvent, reached: number | undefined): Buffer {
    const resumed = reached === undefined ? "" : `"resourceVersion":"${reached}",`;
    return wrapped(this.kind, idLine(event, reached), this.start + resumed, inner.subarray(1));
  }
}

/** Frames by the frame of the event alone. They live as long as it does. */
const framesByForm = new WeakMap<ObjectForm, { readonly events: Known; readonly lines: Known }>();
type Known = WeakMap<Buffer, Buffer>;

function framesOf(form: ObjectForm, { isEvents }: StreamKind): Known {
  let both = framesByForm.get(form);
  if (both === undefined) {
    both = { events: new WeakMap(), lines: new WeakMap() };
    framesByForm.set(form, both);
  }
  return isEvents ? both.events : both.lines;
}

/** The frames that belong to no resource, or to one that is left out. */
export class SharedFrames {
  constructor(
    private readonly kind: StreamKind,
    private readonly vocabulary: Vocabulary,
  ) {}

  frame({ event, reached }: PartEvent): Buffer {
    switch (event.type) {
      case "BOOKMARK":
        return this.bookmark(event, reached);
      case "ERROR":
        return this.made(idLine(event, reached), { type: event.type, object: event.status });
      default:
        throw new Error("an event of an object belongs to a resource");
    }
  }

  refusal({ name, why }: RefusedPart): Buffer {
    return this.made("", { resource: name, type: "REFUSED", object: toStatus(why) });
  }

  private bookmark(event: WatchEvent & { readonly type: "BOOKMARK" }, reached: number | undefined): Buffer {
    const { annotations } = event;
    const object = {
      kind: "PartialObjectMetadata",
      apiVersion: `${this.vocabulary.groups.meta}/v1`,
      metadata: {
        resourceVersion: String(event.resourceVersion),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      },
    };
    return this.made(idLine(event, reached), { resourceVersion: String(reached), type: event.type, object });
  }

  private made(id: string, frame: object): Buffer {
    return wrapped(this.kind, id, "", Buffer.from(`${JSON.stringify(frame)}\n`));
  }
}

/** An expired revision is taken back: the client would begin with it again for ever. */
function idLine(event: WatchEvent, reached: number | undefined): string {
  if (event.type === "ERROR") return (event.status as { readonly code?: unknown }).code === GONE ? "id:\n" : "";
  return reached === undefined ? "" : `id: ${reached}\n`;
}

const GONE = 410;

function wrapped({ isEvents }: StreamKind, id: string, start: string, rest: Buffer): Buffer {
  if (!isEvents) return Buffer.concat([Buffer.from(start), rest]);
  return Buffer.concat([Buffer.from(`${id}data: ${start}`), rest, END_OF_EVENT]);
}

const END_OF_EVENT = Buffer.from("\n");
