// The types whose JSON looks unlike their message: what goes between the two.
// Source: schema facts, special-types.json.
import type { SpecialKind } from "../descriptor-record";
import { durationText, parseDuration } from "../duration";
import { writeJson } from "../exact-json";
import type { JsonObject, JsonValue } from "../json";
import { JsonError } from "../json-error";
import { parseJson } from "../parse-json";
import { timeText } from "../time";
import { isEnveloped } from "./envelope";
import { ProtobufError } from "./protobuf-error";
import type { WireValue } from "./wire-value";

/** Values become an object of the message's own fields and the other way round. */
export interface SpecialMessage {
  /** @returns undefined for the value whose message is empty */
  toMessage(value: JsonValue): JsonObject | undefined;
  /** @param message holds the fields that came */
  fromMessage(message: JsonObject): JsonValue;
  /** Stands in for the scalars of the message's fields, where theirs lose something. */
  readonly scalar?: WireValue;
}

/** Takes an object in an envelope, which may stand where JSON text is expected, to its canonical value. */
export type ReadEnveloped = (bytes: Buffer, depth: number) => JsonValue;

/**
 * @returns undefined for types that are no fields of any message
 */
export function specialMessage(special: SpecialKind, readEnveloped: ReadEnveloped): SpecialMessage | undefined {
  switch (special) {
    case "quantity":
      return {
        toMessage: (value) => ({ string: value ?? "0" }),
        fromMessage: ({ string = "0" }) => string,
      };
    case "intOrString":
      return {
        toMessage: (value) => (typeof value === "string" ? { type: 1, strVal: value } : { type: 0, intVal: value }),
        fromMessage: ({ type, intVal = 0, strVal = "" }) => (type === 1 ? strVal : intVal),
      };
    case "time":
      return {
        toMessage: (value) => (typeof value === "string" ? { seconds: secondsOf(value) } : undefined),
        fromMessage: (message) => (isZero(message) ? null : timeOf({ ...message, nanos: 0 }, "whole")),
      };
    case "microTime":
    case "timestamp":
      return {
        toMessage: (value) =>
          typeof value === "string"
            ? { seconds: secondsOf(value), nanos: Number(value.slice(20, 26)) * 1_000 }
            : undefined,
        fromMessage: (message) => (isZero(message) ? null : timeOf(message, "micros")),
      };
    case "duration":
      return {
        toMessage: (value) => ({ duration: value }),
        fromMessage: ({ duration = "0s" }) => duration,
        scalar: NANOSECONDS,
      };
    case "json":
    case "rawExtension":
      return { ...jsonTextMessage("raw"), scalar: jsonText(readEnveloped) };
    case "fieldsV1":
      return { ...jsonTextMessage("Raw"), scalar: jsonText(readEnveloped) };
    case "stringList":
      return {
        toMessage: (value) => ({ items: value }),
        fromMessage: ({ items = null }) => items,
      };
    case "schemaOrArray":
      return {
        toMessage: (value) => (Array.isArray(value) ? { jSONSchemas: value } : { schema: value }),
        fromMessage: ({ schema = null, jSONSchemas }) => jSONSchemas ?? schema,
      };
    case "schemaOrBool":
      return {
        toMessage: (value) => (typeof value === "boolean" ? { allows: value } : { allows: true, schema: value }),
        fromMessage: ({ schema, allows = false }) => schema ?? allows,
      };
    case "schemaOrStringArray":
      return {
        toMessage: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
        fromMessage: ({ schema = null, property }) => property ?? schema,
      };
    case "unknown":
    case "patch":
      return undefined;
  }
}

function secondsOf(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`) / 1_000;
}

const SECONDS_MIN = -62_167_219_200; // 0000-01-01
const SECONDS_MAX = 253_402_300_799; // 9999-12-31

function timeOf({ seconds = 0, nanos = 0 }: JsonObject, fraction: "whole" | "micros"): string {
  const wholeSeconds = Number(seconds) + Math.floor((nanos as number) / 1e9);
  if (wholeSeconds < SECONDS_MIN || wholeSeconds > SECONDS_MAX) {
    throw new ProtobufError(`${wholeSeconds} seconds from 1970 are outside the years 0000 to 9999`);
  }
  const text = timeText(wholeSeconds * 1_000);
  if (fraction === "whole") return text;
  const nanosOfSecond = (((nanos as number) % 1e9) + 1e9) % 1e9;
  return `${text.slice(0, 19)}.${String(Math.floor(nanosOfSecond / 1_000)).padStart(6, "0")}Z`;
}

function isZero(message: JsonObject): boolean {
  return message["seconds"] === undefined && message["nanos"] === undefined;
}

/** More nanoseconds fit the message than JavaScript's numbers can count: 2^53 of them are 104 days. */
const NANOSECONDS: WireValue = {
  wireType: 0,
  write: (writer, value) => writer.bigInteger(parseDuration((value as string) ?? "0s") ?? 0n),
  read: (reader) => durationText(reader.bigInt64()),
};

function jsonTextMessage(name: string): SpecialMessage {
  return {
    toMessage: (value) => (value === null ? undefined : { [name]: value }),
    fromMessage: (message) => message[name] ?? null,
  };
}

/** A value of no declared type travels as its JSON text. */
function jsonText(readEnveloped: ReadEnveloped): WireValue {
  return {
    wireType: 2,
    write: (writer, value) => writer.text(writeJson(value ?? null)),
    read: (reader) => {
      const bytes = reader.bytes();
      if (bytes.length === 0) return null;
      if (isEnveloped(bytes)) return readEnveloped(bytes, reader.depth);
      try {
        return parseJson(bytes).value;
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        throw new ProtobufError(`expected JSON text: ${error.message}`);
      }
    },
  };
}
