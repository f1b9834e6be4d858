// Objects that a write is about, in versions that somebody else has to be asked for. The steps of a write stay what they are, one after the
// other without waiting: a step that meets an object which is not there yet gives up, the object is asked for, and the write is decided anew.

import { ManyValuesError, metaOf, type ServedVersion, writableMeta } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { type JsonObject, readJson, writeJson } from "@orch/schema";
import type { StoredEntry } from "../objects/stored-entry";
import { convertObject } from "./convert-object";
import type { ConversionParts, EntryConversions } from "./entry-conversions";
import { type ConversionNeed, NeedsConversion } from "./needs-conversion";

interface Made {
  readonly text: string;
  /** Writes that go by it. */
  holders: number;
}

/** A write needs each object in few versions; one that goes on asking is wrong. */
const NEEDS_MAX = 64;

export class WriteConversions {
  /** By the version and the text of what was asked for; as long as a write goes by it. */
  private readonly made = new Map<string, Made>();

  constructor(
    private readonly parts: ConversionParts,
    private readonly entries: EntryConversions,
  ) {}

  /** A new object in the other version, with the same owners. @throws NeedsConversion */
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
   * Does something that may give up for want of an object, until it does not.
   * @throws StatusError where an object cannot be had; ManyValuesError where one has become too large for this thread
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

  /** For those who count: objects that are held. */
  get held(): number {
    return this.made.size;
  }

  private async fulfil(need: ConversionNeed, held: Made[], signal: EndSignal | undefined): Promise<void> {
    if (need.kind === "entry") {
      const entry = need.entry as StoredEntry;
      await this.entries.prepare([entry], need.to, signal);
      if (entry.isLarge && this.parts.converter.elsewhere !== undefined)
        throw new ManyValuesError(`${entry.path} is large in ${need.to.apiVersion}`);
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
