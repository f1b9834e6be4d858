// Puts the value of a YAML text together from what its parser tells. In place of the library's own: it says where keys are that are there
// twice, and bounds what little text may become.
import {
  type DecodeProblem,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  PROBLEMS_MAX,
  pathText,
  setMember,
} from "@orch/schema";
import type { AliasEvent, EVENT_ID, Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";
import type { YamlScalars } from "./yaml-scalars";

export interface ComposedYaml {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
  /** Whether parts of the value are there more than once, being the same object. */
  readonly isShared: boolean;
}

/** Anchors and aliases. */
const NAMES_MAX = 1000;
/** Ten times as many as a large object has; each takes some time. */
const VALUES_MAX = 300_000;
/** Members that mappings take in from others. */
const MERGED_MAX = 100_000;

interface ListFrame {
  readonly anchor: string | undefined;
  readonly list: JsonArray;
}

interface MapFrame {
  readonly anchor: string | undefined;
  readonly list?: undefined;
  readonly object: JsonObject;
  /** Whose value comes next. */
  key: string | undefined;
  takesIn: boolean;
  /** Members from other mappings, which its own replace. */
  merged: Set<string> | undefined;
}

type Frame = ListFrame | MapFrame;

/** Its name is not told: in a file with secrets it may be one that was meant to be quoted. */
const NO_ANCHOR = "there is no anchor of an alias; a text that begins with * needs quotes";
/** Stands for a value that is not complete yet. */
const OPEN = Symbol("open");

export class YamlComposer {
  private readonly text: string;
  private readonly scalars: YamlScalars;
  private readonly ids: typeof EVENT_ID;
  private readonly frames: Frame[] = [];
  private readonly anchors = new Map<string, JsonValue | typeof OPEN>();
  private readonly problems: DecodeProblem[] = [];
  private root: JsonValue = null;
  private isShared = false;
  private documents = 0;
  private names = 0;
  private values = 0;
  private merged = 0;

  constructor(text: string, scalars: YamlScalars, ids: typeof EVENT_ID) {
    this.text = text;
    this.scalars = scalars;
    this.ids = ids;
  }

  /** @throws Error for what is more than one value, or too much */
  compose(events: readonly Event[]): ComposedYaml {
    for (const event of events) this.take(event);
    return { value: this.root, problems: this.problems, isShared: this.isShared };
  }

  private take(event: Event): void {
    const ids = this.ids;
    switch (event.type) {
      case ids.DOCUMENT:
        this.documents += 1;
        if (this.documents > 1) throw new Error("there is more than one document");
        break;
      case ids.SCALAR:
        this.scalar(event);
        break;
      case ids.SEQUENCE:
        this.open({ anchor: this.anchorOf(event), list: [] });
        break;
      case ids.MAPPING:
        this.open({ anchor: this.anchorOf(event), object: {}, key: undefined, takesIn: false, merged: undefined });
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
      this.key(frame, this.named(event, this.scalars.value(event)));
    } else this.add(this.named(event, this.scalars.value(event)));
  }

  private named(event: ScalarEvent, value: JsonValue): JsonValue {
    const anchor = this.anchorOf(event);
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private alias({ anchorStart, anchorEnd }: AliasEvent): void {
    const name = this.name(anchorStart, anchorEnd);
    const value = this.anchors.get(name);
    if (value === undefined) throw new Error(NO_ANCHOR);
    if (value === OPEN) throw new Error("an alias stands for what it is itself a part of");
    const frame = this.frames.at(-1);
    if (frame !== undefined && frame.list === undefined && frame.key === undefined) {
      this.key(frame, value);
      return;
    }
    // Texts as well: a long one may stand for much.
    this.isShared ||= typeof value === "string" || (typeof value === "object" && value !== null);
    this.add(value);
  }

  private open(frame: Frame): void {
    const outer = this.frames.at(-1);
    if (outer !== undefined && outer.list === undefined && outer.key === undefined) throw noKey();
    if (frame.anchor !== undefined) this.anchors.set(frame.anchor, OPEN);
    this.frames.push(frame);
  }

  private close(): void {
    const frame = this.frames.pop();
    // The end of the document.
    if (frame === undefined) return;
    const value = frame.list ?? frame.object;
    if (frame.anchor !== undefined) this.anchors.set(frame.anchor, value);
    this.add(value);
  }

  private key(frame: MapFrame, key: JsonValue): void {
    if (typeof key === "object" && key !== null) throw noKey();
    const name = key === null ? "" : String(key);
    const isTwice = !frame.takesIn && Object.hasOwn(frame.object, name) && frame.merged?.delete(name) !== true;
    if (isTwice && this.problems.length < PROBLEMS_MAX) {
      this.problems.push({ kind: "duplicateField", path: this.path(name) });
    }
    frame.key = name;
  }

  private add(value: JsonValue): void {
    this.values += 1;
    if (this.values > VALUES_MAX) throw new Error(`there are more than ${VALUES_MAX} values`);
    const frame = this.frames.at(-1);
    if (frame === undefined) this.root = value;
    else if (frame.list !== undefined) frame.list.push(value);
    else if (frame.takesIn) this.takeIn(frame, Array.isArray(value) ? value : [value]);
    else {
      setMember(frame.object, frame.key ?? "", value);
      frame.key = undefined;
    }
  }

  private takeIn(frame: MapFrame, sources: readonly JsonValue[]): void {
    const merged = frame.merged ?? new Set();
    for (const source of sources) {
      if (!isObject(source)) {
        throw new Error("only mappings can be taken into another");
      }
      for (const [name, value] of Object.entries(source)) {
        this.merged += 1;
        if (this.merged > MERGED_MAX) throw new Error("it is too large once its aliases are resolved");
        if (Object.hasOwn(frame.object, name)) continue;
        setMember(frame.object, name, value);
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
    if (this.names > NAMES_MAX) throw new Error(`there are more than ${NAMES_MAX} anchors and aliases`);
    return this.text.slice(start, end);
  }
}

const noKey = (): Error => new Error("a key may not be a list or a mapping");
