// Composes the value of a YAML text from parser events. It replaces the composer of the library because it reports the
// positions of duplicate keys and bounds the size of the result. Servers and clients use it.
//
// The npm package `yaml` 2.9 was measured as an alternative (docs/dependencies.md). It takes ten times as long (5.3 s of processor time
// against 0.5 s for 290,000 items, 1.1 MB) and compares every key of a mapping with every other (3.0 s for 20,000 keys,
// 189 KB): a body of 3 MiB would block the server.
import type { AliasEvent, EVENT_ID, Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";
import { type DecodeProblem, PROBLEMS_MAX, pathText } from "../json/decode-problem";
import { isObject, type JsonArray, type JsonObject, type JsonValue, setMember } from "../json/json-value";
import type { YamlScalars } from "./yaml-scalars";

/** A duplicate key of a mapping, or a further document. */
export interface YamlProblem extends DecodeProblem {
  /** Offset in UTF-16 units from the start of the text. */
  readonly offset: number;
}

interface FoundProblem extends YamlProblem {
  readonly key: string;
  /** Offset of the value of the key. */
  readonly valueOffset: number;
}

export interface ComposedYaml {
  readonly value: JsonValue;
  readonly problems: readonly FoundProblem[];
  /** Whether the value contains an object more than once. */
  readonly isShared: boolean;
}

/** Maximum number of anchors and aliases. */
const NAMES_MAX = 1000;

export const TOO_LARGE_RESOLVED = "it is too large once its aliases are resolved";

interface ListFrame {
  readonly anchor: string | undefined;
  /** Start of the collection. */
  readonly offset: number;
  readonly list: JsonArray;
}

interface MapFrame {
  readonly anchor: string | undefined;
  readonly offset: number;
  readonly list?: undefined;
  readonly object: JsonObject;
  /** Key of the next value. */
  key: string | undefined;
  /** Position of a key that the mapping has had before. */
  repeatedAt: number | undefined;
  /** Whether the next value is a mapping, or a list of mappings, to merge. */
  takesIn: boolean;
  /** Merged members. A key that replaces one of them is not a duplicate. */
  merged: Set<string> | undefined;
}

type Frame = ListFrame | MapFrame;

const NO_ANCHOR = "an alias has no anchor; a string that starts with * requires quotes";
const NO_KEY = "a key may not be a list or a mapping";
/** Placeholder of an incomplete value. */
const OPEN = Symbol("open");

export interface ComposerDeps {
  readonly text: string;
  readonly scalars: YamlScalars;
  readonly ids: typeof EVENT_ID;
  /** Maximum number of values, because each takes some time. */
  readonly valuesMax: number;
  /** Maximum number of members merged from other mappings. */
  readonly mergedMax: number;
}

export class YamlComposer {
  private readonly text: string;
  private readonly scalars: YamlScalars;
  private readonly ids: typeof EVENT_ID;
  private readonly valuesMax: number;
  private readonly mergedMax: number;
  private readonly frames: Frame[] = [];
  private readonly anchors = new Map<string, JsonValue | typeof OPEN>();
  private readonly problems: FoundProblem[] = [];
  private root: JsonValue = null;
  private isShared = false;
  private names = 0;
  private values = 0;
  private merged = 0;

  constructor({ text, scalars, ids, valuesMax, mergedMax }: ComposerDeps) {
    this.text = text;
    this.scalars = scalars;
    this.ids = ids;
    this.valuesMax = valuesMax;
    this.mergedMax = mergedMax;
  }

  /** Composes the value. @throws YamlError */
  compose(events: readonly Event[]): ComposedYaml {
    for (const event of events) this.take(event);
    return { value: this.root, problems: this.problems, isShared: this.isShared };
  }

  private take(event: Event): void {
    const ids = this.ids;
    switch (event.type) {
      case ids.DOCUMENT:
        break;
      case ids.SCALAR:
        this.scalar(event);
        break;
      case ids.SEQUENCE:
        this.open({ anchor: this.anchorOf(event), offset: event.start, list: [] });
        break;
      case ids.MAPPING:
        this.open({
          anchor: this.anchorOf(event),
          offset: event.start,
          object: {},
          key: undefined,
          repeatedAt: undefined,
          takesIn: false,
          merged: undefined,
        });
        break;
      case ids.ALIAS:
        this.alias(event);
        break;
      case ids.POP:
        this.close();
    }
  }

  private scalar(event: ScalarEvent): void {
    const frame = this.frames.at(-1);
    if (frame !== undefined && frame.list === undefined && frame.key === undefined) {
      frame.takesIn = this.scalars.isMerge(event);
      this.key(frame, this.named(event, this.scalars.key(event)) as string, event.valueStart);
    } else this.add(this.named(event, this.scalars.value(event)), event.valueStart);
  }

  private named(event: ScalarEvent, value: JsonValue): JsonValue {
    const anchor = this.anchorOf(event);
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private alias({ anchorStart, anchorEnd }: AliasEvent): void {
    const name = this.name(anchorStart, anchorEnd);
    const value = this.anchors.get(name);
    if (value === undefined) throw this.scalars.errorAt(NO_ANCHOR, anchorStart);
    if (value === OPEN) throw this.scalars.errorAt("an alias stands for what it is itself a part of", anchorStart);
    const frame = this.frames.at(-1);
    if (frame !== undefined && frame.list === undefined && frame.key === undefined) {
      if (value === null) throw this.scalars.errorAt("a key may not be null", anchorStart);
      if (typeof value === "object") throw this.scalars.errorAt(NO_KEY, anchorStart);
      this.key(frame, String(value), anchorStart);
      return;
    }
    // Strings are included: many aliases of a long one represent a large value.
    this.isShared ||= typeof value === "string" || (typeof value === "object" && value !== null);
    this.add(value, anchorStart);
  }

  private open(frame: Frame): void {
    const outer = this.frames.at(-1);
    if (outer !== undefined && outer.list === undefined && outer.key === undefined) {
      throw this.scalars.errorAt(NO_KEY, frame.offset);
    }
    if (frame.anchor !== undefined) this.anchors.set(frame.anchor, OPEN);
    this.frames.push(frame);
  }

  private close(): void {
    const frame = this.frames.pop();
    // End of the document itself.
    if (frame === undefined) return;
    const value = frame.list ?? frame.object;
    if (frame.anchor !== undefined) this.anchors.set(frame.anchor, value);
    this.add(value, frame.offset);
  }

  private key(frame: MapFrame, name: string, offset: number): void {
    const isRepeated = !frame.takesIn && Object.hasOwn(frame.object, name) && frame.merged?.delete(name) !== true;
    frame.repeatedAt = isRepeated ? offset : undefined;
    frame.key = name;
  }

  private isTwice(name: string, offset: number, valueOffset = offset): void {
    if (this.problems.length < PROBLEMS_MAX) {
      this.problems.push({ kind: "duplicateField", path: this.path(name), key: name, offset, valueOffset });
    }
  }

  private add(value: JsonValue, offset: number): void {
    this.values += 1;
    if (this.values > this.valuesMax) {
      throw this.scalars.errorAt(`there are more than ${this.valuesMax} values`, offset);
    }
    const frame = this.frames.at(-1);
    if (frame === undefined) this.root = value;
    else if (frame.list !== undefined) frame.list.push(value);
    else if (frame.takesIn) this.takeIn(frame, value, offset);
    else {
      const name = frame.key ?? "";
      // Reported at the value, as the programs of Kubernetes do: after the problems inside it, with its line.
      if (frame.repeatedAt !== undefined) this.isTwice(name, frame.repeatedAt, offset);
      setMember(frame.object, name, value);
      frame.key = undefined;
    }
  }

  /**
   * Merges members, replacing earlier ones of the same name, as kubernetes-sigs/yaml does. Later keys replace them in
   * turn. In a list of mappings the first one takes precedence.
   */
  private takeIn(frame: MapFrame, value: JsonValue, offset: number): void {
    const merged = frame.merged ?? new Set();
    for (const source of Array.isArray(value) ? value.toReversed() : [value]) {
      if (!isObject(source)) throw this.scalars.errorAt("only mappings can be taken into another", offset);
      for (const [name, member] of Object.entries(source)) {
        this.merged += 1;
        if (this.merged > this.mergedMax) throw this.scalars.errorAt(TOO_LARGE_RESOLVED, offset);
        if (Object.hasOwn(frame.object, name) && !merged.has(name)) this.isTwice(name, offset);
        setMember(frame.object, name, member);
        merged.add(name);
      }
    }
    frame.merged = merged;
    frame.key = undefined;
    frame.takesIn = false;
  }

  private path(key: string): string {
    const steps = this.frames.slice(0, -1).map((frame) => frame.list?.length ?? (frame as MapFrame).key ?? "");
    return pathText([...steps, key]);
  }

  private anchorOf({ anchorStart, anchorEnd }: ScalarEvent | SequenceEvent | MappingEvent): string | undefined {
    return anchorStart < 0 ? undefined : this.name(anchorStart, anchorEnd);
  }

  private name(start: number, end: number): string {
    this.names += 1;
    if (this.names > NAMES_MAX) {
      throw this.scalars.errorAt(`there are more than ${NAMES_MAX} anchors and aliases`, start);
    }
    return this.text.slice(start, end);
  }
}
