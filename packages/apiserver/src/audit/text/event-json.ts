// An event as JSON, in the versions of the group audit. Most events are one text of a few hundred characters: it is put together from
// parts, of which those that many requests share are made once, and of a request's second event most is cut out of the first.
// Source: facts, http.md "Audit".

import { type JsonValue, type Vocabulary, writeJson } from "@orch/schema";
import type { AuditEvent, AuditedLevel, AuditedRequest, AuditStage } from "../audit-event";
import { answerStatus } from "./answer-status";
import { microTime } from "./micro-time";
import { PassedTexts, quoted, quotedWord, remembered, type Text, textOf } from "./quoted";
import { type AuditVersion, RequestText, referenceText, userText } from "./request-text";

/** The text of an event, in pieces: bodies are not copied into it. */
export interface EventText {
  readonly pieces: readonly (string | Uint8Array)[];
  /** Roughly: a character of a text counts as one. */
  readonly bytes: number;
  /** Its texts are known to be ASCII, so that `bytes` is no guess. */
  readonly isAscii?: boolean;
}

/** What bodies say, as JSON in one line. */
export interface BodyTexts {
  readonly request?: Uint8Array | undefined;
  readonly response?: Uint8Array | undefined;
  /** There would be more, or larger ones. */
  readonly truncated?: boolean;
}

export const NO_BODIES: BodyTexts = {};

export type EventEncoder = (event: AuditEvent, bodies: BodyTexts) => EventText;

/** @param apiVersion one of `auditVersions` */
export function eventEncoder(vocabulary: Vocabulary, apiVersion: string): EventEncoder {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1) as AuditVersion;
  const start = `{"kind":"Event","apiVersion":${quoted(apiVersion)}`;
  const closing = closingOf(vocabulary.auditAnnotations.auditTruncated);
  const mine = {};
  const notesOf = (request: AuditedRequest): RequestNotes => {
    if (request.note?.by === mine) return request.note.value as RequestNotes;
    const value: RequestNotes = { text: new RequestText(request, version), sections: undefined };
    request.note = { by: mine, value };
    return value;
  };

  function sectionsOf(event: AuditEvent, { text }: RequestNotes): Sections {
    const { request, level, impersonated, sent } = event;
    const passed = new PassedTexts();
    const as = impersonated === undefined ? "" : `,"impersonatedUser":${passed.known(userText(impersonated))}`;
    const reference = sent === undefined ? text.reference : referenceText(request, sent, version, passed);
    return {
      level,
      before: `${start}${text.old}${levelText(level)}${text.id}`,
      about: `${text.uri}${text.user}${as}${text.client}${reference}`,
      times: `,"requestReceivedTimestamp":"${text.received}","stageTimestamp":"`,
      isAscii: text.isAscii && passed.isAscii,
    };
  }

  return (event, bodies) => {
    const { request, level, stage, stageAt } = event;
    const notes = notesOf(request);
    const isAsReceived = event.impersonated === undefined && event.sent === undefined;
    const isKnown = isAsReceived && notes.sections?.level === level;
    const sections = isKnown ? (notes.sections as Sections) : sectionsOf(event, notes);
    const status = answerStatus(event);
    const end = closing(event.annotations, bodies.truncated === true);
    const head = `${sections.before}${stageText(stage)}${sections.about}${status.text}`;
    const at = stageAt === request.receivedAt ? notes.text.received : microTime(stageAt);
    const tail = `${sections.times}${at}${end.text}`;
    const isAscii = sections.isAscii && status.isAscii && end.isAscii;
    const { request: sent, response: answered } = bodies;
    if (sent === undefined && answered === undefined) {
      const text = head + tail;
      if (stage === "RequestReceived" && isAsReceived) notes.sections = sectionsIn(text, sections);
      return { pieces: [text], bytes: text.length, isAscii };
    }
    const pieces: (string | Uint8Array)[] = [head];
    if (sent !== undefined) pieces.push(',"requestObject":', sent);
    if (answered !== undefined) pieces.push(',"responseObject":', answered);
    pieces.push(tail);
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0), isAscii };
  };
}

/** What an encoder keeps of a request until its last event. */
interface RequestNotes {
  readonly text: RequestText;
  /** Of the first event; undefined where it was not told. */
  sections: Sections | undefined;
}

/** What a request's events have in common, where it is carried out as it was received. */
interface Sections {
  readonly level: AuditedLevel;
  /** The stage. */
  readonly before: string;
  /** Between the stage and the answer's status. */
  readonly about: string;
  /** Between the status and the stage's time. */
  readonly times: string;
  readonly isAscii: boolean;
}

/** The same cut out of the text of the first event: one piece each, where they were a dozen. */
function sectionsIn(text: string, { level, before, about, times, isAscii }: Sections): Sections {
  const aboutAt = before.length + stageText("RequestReceived").length;
  const timesAt = aboutAt + about.length;
  return {
    level,
    before: text.slice(0, before.length),
    about: text.slice(aboutAt, timesAt),
    times: text.slice(timesAt, timesAt + times.length),
    isAscii,
  };
}

// Looked up in a table, each would be searched for by its name.

function levelText(level: AuditedLevel): string {
  switch (level) {
    case "Metadata":
      return ',"level":"Metadata","auditID":"';
    case "Request":
      return ',"level":"Request","auditID":"';
    case "RequestResponse":
      return ',"level":"RequestResponse","auditID":"';
  }
}

function stageText(stage: AuditStage): string {
  switch (stage) {
    case "RequestReceived":
      return '","stage":"RequestReceived","requestURI":"';
    case "ResponseStarted":
      return '","stage":"ResponseStarted","requestURI":"';
    case "ResponseComplete":
      return '","stage":"ResponseComplete","requestURI":"';
    case "Panic":
      return '","stage":"Panic","requestURI":"';
  }
}

const firstKey = remembered((key) => `","annotations":{${quoted(key)}:`);
const nextKey = remembered((key) => `,${quoted(key)}:`);

/** What stands behind the stage's time. @returns the same text for the same annotations that many requests have */
function closingOf(truncatedKey: string): (annotations: AuditEvent["annotations"], isTruncated: boolean) => Text {
  const shared = new WeakMap<object, Text>();

  function made(annotations: AuditEvent["annotations"], isTruncated: boolean): Text {
    let text = "";
    const add = (key: string, value: string): void => {
      text += (text === "" ? firstKey : nextKey)(key).text + value;
    };
    for (const key in annotations) add(key, quotedWord(annotations[key] as string).text);
    if (isTruncated) add(truncatedKey, '"true"');
    return textOf(text === "" ? '"}' : `${text}}}`);
  }

  return (annotations, isTruncated) => {
    if (isTruncated) return made(annotations, true);
    let text = shared.get(annotations);
    if (text === undefined) {
      text = made(annotations, false);
      if (Object.isFrozen(annotations)) shared.set(annotations, text);
    }
    return text;
  };
}

/** What a body says, in one line. @param omitManagedFields of an object, and of the items of a list */
export function bodyText(value: JsonValue, omitManagedFields: boolean): Uint8Array {
  if (omitManagedFields) dropManagedFields(value);
  return Buffer.from(writeJson(value));
}

function dropManagedFields(value: JsonValue): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const { metadata, items } = value as { metadata?: JsonValue; items?: JsonValue };
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)) {
    delete (metadata as Record<string, JsonValue>)["managedFields"];
  }
  if (Array.isArray(items)) for (const item of items) dropManagedFields(item);
}
