// Conversion of types whose JSON differs from their message.
import type { SpecialKind } from "../descriptor/descriptor-record";
import { writeJson } from "../json/exact-json";
import { JsonError } from "../json/json-error";
import type { JsonObject, JsonValue } from "../json/json-value";
import { parseJson } from "../json/parse-json";
import { durationText, parseDuration } from "../values/duration";
import { timeText } from "../values/time";
import { isEnveloped } from "./envelope";
import { ProtobufError } from "./protobuf-error";
import type { WireValue } from "./wire-value";

/** Converts between values and objects with the message's own fields. */
export interface SpecialMessage {
  /** Converts a value. @returns undefined for the value with an empty message */
  toMessage(value: JsonValue): JsonObject | undefined;
  /** Converts a message. @param message the fields that were read */
  fromMessage(message: JsonObject): JsonValue;
  /** Codec for the scalars of the message, when the usual one would lose precision. */
  readonly scalar?: WireValue;
}

/** Decodes an enveloped object, which may replace JSON text, to its canonical value. */
export type ReadEnveloped = (bytes: Buffer, depth: number) => JsonValue;

/** Returns the conversion of a type. @returns undefined for types that are never a field of a message */
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

/** Codec with bigints: the message holds more nanoseconds than a safe integer, whose limit is 104 days. */
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

/** Codec of a value without a declared type: its JSON text. */
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
