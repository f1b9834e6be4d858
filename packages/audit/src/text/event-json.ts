// Encodes audit events as JSON in the versions of the audit group. Most events have a few hundred characters. The text
// is composed of parts: parts that many requests share are made once, and most of the second event of a request is
// copied from the first.

import { type JsonValue, type Vocabulary, writeJson } from "@orch/schema";
import type { AuditEvent, AuditedLevel, AuditedRequest, AuditStage } from "../event/audit-event";
import { answerStatus } from "./answer-status";
import { microTime } from "./micro-time";
import { PassedTexts, quoted, quotedWord, remembered, type Text, textOf } from "./quoted";
import { type AuditVersion, RequestText, referenceText, userText } from "./request-text";

/** The text of an event in pieces, so that bodies are not copied. */
export interface EventText {
  readonly pieces: readonly (string | Uint8Array)[];
  /** Approximate size: each character counts as one byte. */
  readonly bytes: number;
  /** Whether all texts are ASCII, so that `bytes` is exact. */
  readonly isAscii?: boolean;
}

/** Bodies as JSON in one line. */
export interface BodyTexts {
  readonly request?: Uint8Array | undefined;
  readonly response?: Uint8Array | undefined;
  /** Whether bodies were dropped or cut. */
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
    const { request, level, impersonated, impersonationConstraint: constraint, sent } = event;
    const passed = new PassedTexts();
    const as = impersonated === undefined ? "" : `,"impersonatedUser":${passed.known(userText(impersonated))}`;
    const by =
      constraint === undefined ? "" : `,"authenticationMetadata":{"impersonationConstraint":${quoted(constraint)}}`;
    const reference = sent === undefined ? text.reference : referenceText(request, sent, version, passed);
    return {
      level,
      before: `${start}${text.old}${levelText(level)}${text.id}`,
      about: `${text.uri}${text.user}${as}${by}${text.client}${reference}`,
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

/** State that an encoder keeps for a request until its last event. */
interface RequestNotes {
  readonly text: RequestText;
  /** Sections of the first event; undefined when it was not encoded. */
  sections: Sections | undefined;
}

/** Parts that all events of a request share, when it is not impersonated. */
interface Sections {
  readonly level: AuditedLevel;
  /** Text before the stage. */
  readonly before: string;
  /** Text between the stage and the response status. */
  readonly about: string;
  /** Text between the response status and the stage timestamp. */
  readonly times: string;
  readonly isAscii: boolean;
}

/** Cuts the sections out of the text of the first event: one piece each in place of about a dozen. */
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

// A switch, because a table would look each level up by name.

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

/** Text after the stage timestamp. @returns the same text for equal annotations of many requests */
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

/** Encodes a body in one line. @param omitManagedFields for the object, or for each item of a list */
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
