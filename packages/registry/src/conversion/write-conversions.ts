// Conversions of the objects of a write. The steps of a write stay synchronous: a step that needs an object which is
// not converted yet throws, the object is converted, and the step runs again from its start.

import { ManyValuesError, metaOf, type ResourceDefinition, type ServedVersion, writableMeta } from "@orch/machinery";
import type { EndSignal, EventLoopYielder } from "@orch/platform";
import { type JsonObject, readJson, writeJson } from "@orch/schema";
import { type ConversionNeed, NeedsConversion } from "../objects/needs-conversion";
import type { StoredEntry } from "../objects/stored-entry";
import { convertObject } from "./convert-object";
import { type ConversionParts, EntryConversions } from "./entry-conversions";

interface Made {
  readonly text: string;
  /** Number of writes that use the object. */
  holders: number;
}

/** A write needs each object in few versions. The limit stops a step that keeps asking. */
const NEEDS_MAX = 64;

export class WriteConversions {
  /** Converted objects by the version and text of the request; kept as long as a write uses them. */
  private readonly made = new Map<string, Made>();

  constructor(
    private readonly parts: ConversionParts,
    private readonly entries: EntryConversions,
  ) {}

  /** Returns a new object in the other version, with the same managedFields. @throws NeedsConversion */
  converted(object: JsonObject, from: ServedVersion, to: ServedVersion): JsonObject {
    if (from.apiVersion === to.apiVersion) return object;
    const { managedFields, ...metadata } = metaOf(object) as JsonObject;
    const text = writeJson({ ...object, metadata });
    const made = this.made.get(keyOf(text, to));
    if (made === undefined) throw new NeedsConversion({ kind: "object", text, from, to });
    const converted = readJson(made.text) as JsonObject;
    if (managedFields !== undefined) writableMeta(converted)["managedFields"] = managedFields;
    return converted;
  }

  /**
   * Runs a step until it no longer fails for a missing conversion.
   * @throws StatusError when a conversion fails; ManyValuesError when an object has become too large for this thread
   */
  async settle<T>(step: () => T | Promise<T>, signal: EndSignal | undefined): Promise<T> {
    const held: Made[] = [];
    try {
      for (let needs = 0; ; needs += 1) {
        try {
          return await step();
        } catch (error) {
          if (!(error instanceof NeedsConversion) || needs === NEEDS_MAX) throw error;
          await this.fulfil(error.need, held, signal);
        }
      }
    } finally {
      for (const made of held) made.holders -= 1;
      if (held.length > 0) for (const [key, { holders }] of this.made) if (holders === 0) this.made.delete(key);
    }
  }

  /** Number of converted objects held; for metrics and tests. */
  get held(): number {
    return this.made.size;
  }

  private async fulfil(need: ConversionNeed, held: Made[], signal: EndSignal | undefined): Promise<void> {
    if (need.kind === "entry") {
      const entry = need.entry as StoredEntry;
      await this.entries.prepare([entry], need.to, signal);
      if (entry.isLarge && this.parts.converter.elsewhere !== undefined)
        throw new ManyValuesError(`${entry.path} is a large object in ${need.to.apiVersion}`);
      return;
    }
    const key = keyOf(need.text, need.to);
    const made = this.made.get(key) ?? { text: await this.convert(need, signal), holders: 0 };
    made.holders += 1;
    held.push(made);
    this.made.set(key, made);
  }

  private async convert({ text, from, to }: ConversionNeed & { kind: "object" }, signal: EndSignal | undefined) {
    return writeJson(await convertObject(this.parts, readJson(text) as JsonObject, { from, to }, signal));
  }
}

const keyOf = (text: string, { apiVersion }: ServedVersion) => `${apiVersion} ${text}`;

/** The conversion state of a definition with a conversion webhook. */
export interface Conversions {
  readonly entries: EntryConversions;
  readonly writes: WriteConversions;
}

/** Creates the conversion state. @returns undefined when functions of the definition convert synchronously */
export function conversionsOf({ converter }: ResourceDefinition, loop: EventLoopYielder): Conversions | undefined {
  if (converter === undefined) return undefined;
  const entries = new EntryConversions({ converter, loop });
  return { entries, writes: new WriteConversions({ converter, loop }, entries) };
}
