// Puts the value of a YAML text together from the events of its parser. It stands in place of the library's own composer: it says where keys
// are that are there twice, and bounds what little text may become.
//
// The npm package `yaml` 2.9 was measured in its place. It takes ten times as long (5.3 s of processor time against 0.5 s for 290,000 items,
// 1.1 MB) and compares every key of a mapping with every other (3.0 s for 20,000 keys, 189 KB): a body of 3 MiB would stop the server.
import type { AliasEvent, EVENT_ID, Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";
import { type DecodeProblem, PROBLEMS_MAX, pathText } from "../decode-walk";
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "../json";
import { setMember } from "../json-member";
import type { YamlScalars } from "./yaml-scalars";

/** A key that a mapping has twice, or a further document. */
export interface YamlProblem extends DecodeProblem {
  /** In UTF-16 units from the start of the text. */
  readonly offset: number;
}

export interface ComposedYaml {
  readonly value: JsonValue;
  readonly problems: readonly YamlProblem[];
  /** Whether parts of the value are there more than once, being the same object. */
  readonly isShared: boolean;
}

/** Maximum number of anchors and aliases. */
const NAMES_MAX = 1000;
/** Maximum number of members that mappings take in from others. */
const MERGED_MAX = 100_000;

interface ListFrame {
  readonly anchor: string | undefined;
  /** Where the collection begins. */
  readonly offset: number;
  readonly list: JsonArray;
}

interface MapFrame {
  readonly anchor: string | undefined;
  readonly offset: number;
  readonly list?: undefined;
  readonly object: JsonObject;
  /** The key whose value comes next. */
  key: string | undefined;
  /** Whether the value that comes next is a mapping, or a list of mappings, to take in. */
  takesIn: boolean;
  /** Members from other mappings. A key that replaces one of them is not there twice. */
  merged: Set<string> | undefined;
}

type Frame = ListFrame | MapFrame;

const NO_ANCHOR = "there is no anchor of an alias; a text that begins with * needs quotes";
const NO_KEY = "a key may not be a list or a mapping";
/** Stands for a value that is not complete yet. */
const OPEN = Symbol("open");

export interface ComposerDeps {
  readonly text: string;
  readonly scalars: YamlScalars;
  readonly ids: typeof EVENT_ID;
  /** Maximum number of values, each of which takes some time. */
  readonly valuesMax: number;
}

export class YamlComposer {
  private readonly text: string;
  private readonly scalars: YamlScalars;
  private readonly ids: typeof EVENT_ID;
  private readonly valuesMax: number;
  private readonly frames: Frame[] = [];
  private readonly anchors = new Map<string, JsonValue | typeof OPEN>();
  private readonly problems: YamlProblem[] = [];
  private root: JsonValue = null;
  private isShared = false;
  private names = 0;
  private values = 0;
  private merged = 0;

  constructor({ text, scalars, ids, valuesMax }: ComposerDeps) {
    this.text = text;
    this.scalars = scalars;
    this.ids = ids;
    this.valuesMax = valuesMax;
  }

  /** @throws YamlError */
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
    // A text counts as well: many aliases of a long one stand for much.
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
    // The document itself ends.
    if (frame === undefined) return;
    const value = frame.list ?? frame.object;
    if (frame.anchor !== undefined) this.anchors.set(frame.anchor, value);
    this.add(value, frame.offset);
  }

  private key(frame: MapFrame, name: string, offset: number): void {
    if (!frame.takesIn && Object.hasOwn(frame.object, name) && frame.merged?.delete(name) !== true) {
      this.isTwice(name, offset);
    }
    frame.key = name;
  }

  private isTwice(name: string, offset: number): void {
    if (this.problems.length < PROBLEMS_MAX) {
      this.problems.push({ kind: "duplicateField", path: this.path(name), offset });
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
      setMember(frame.object, frame.key ?? "", value);
      frame.key = undefined;
    }
  }

  /**
   * Takes in members in the place of those of the same name that were there before, as kubernetes-sigs/yaml does. Keys that follow replace them in
   * turn, and of several mappings in a list the first wins.
   */
  private takeIn(frame: MapFrame, value: JsonValue, offset: number): void {
    const merged = frame.merged ?? new Set();
    for (const source of Array.isArray(value) ? value.toReversed() : [value]) {
      if (!isObject(source)) throw this.scalars.errorAt("only mappings can be taken into another", offset);
      for (const [name, member] of Object.entries(source)) {
        this.merged += 1;
        if (this.merged > MERGED_MAX) {
          throw this.scalars.errorAt("it is too large once its aliases are resolved", offset);
        }
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
