// The objects of one request as somebody outside is shown them: brought into each version once, and written as JSON once, however many
// look at them. Source: facts, admission/webhooks.md "Calling", "Mutating order, patches, reinvocation".
import { type AdmissionRequest, copyJson, type ServedVersion, type StoredText } from "@orch/machinery";
import { encodeJson, type JsonObject } from "@orch/schema";
import type { Soon } from "../world";
import type { ConversionReader } from "./conversion-reader";
import { isWhole, sentBody } from "./request-bodies";

/** Left as they are by all who see them. */
export interface ShownObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** JSON; `null` where there is none. */
  readonly objectJson: Buffer;
  readonly oldObjectJson: Buffer;
}

const NULL = Buffer.from("null");

export class RequestObjects {
  /** Undefined: as rules see it. */
  private currentVersion: ServedVersion | undefined;
  private current: JsonObject | undefined;
  private readonly objects = new Map<string, Shown>();
  private readonly oldObjects = new Map<string, Shown>();
  private readonly isWhole: boolean;
  /** How often it has become another one: what is made of it holds as long as this is the same. */
  changes = 0;

  /** @param conversion undefined: there is nobody who could convert what has no functions for it */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly conversion: ConversionReader | undefined,
  ) {
    this.isWhole = isWhole(request);
    this.current = request.object;
  }

  /** In the version in which it was looked at last, or changed. */
  get object(): JsonObject | undefined {
    return this.current;
  }

  /** @throws StatusError where they cannot be had in that version */
  in(version: ServedVersion): Soon<ShownObjects> {
    const object = this.shown(this.objects, this.current, this.currentVersion, version);
    const oldObject = this.shown(this.oldObjects, this.request.oldObject, undefined, version);
    if (object instanceof Promise || oldObject instanceof Promise)
      return Promise.all([object, oldObject]).then(([one, other]) => new Together(one, other));
    return new Together(object, oldObject);
  }

  /** From now on the object is this one, of that version. */
  change(object: JsonObject, version: ServedVersion): void {
    this.changes += 1;
    this.current = object;
    this.currentVersion = version;
    this.objects.clear();
    this.objects.set(version.apiVersion, new Shown(object));
  }

  /** As rules see it. May be changed by who asks, and is not to be asked for again. */
  inHub(): Soon<JsonObject | undefined> {
    const { current, currentVersion, request } = this;
    if (current === undefined || currentVersion === undefined) return current;
    if (!this.isWhole) return between(current, currentVersion, sentBody(request));
    const { definition } = request;
    if (definition.converter === undefined) {
      const hub = currentVersion.toHub?.(copyJson(current)) ?? current;
      return named(hub, request.object ?? definition.storage);
    }
    return this.converted(current, currentVersion, definition.storage);
  }

  private shown(
    known: Map<string, Shown>,
    object: JsonObject | undefined,
    from: ServedVersion | undefined,
    to: ServedVersion,
  ): Soon<Shown | undefined> {
    if (object === undefined) return undefined;
    const found = known.get(to.apiVersion);
    if (found !== undefined) return found;
    const made = this.isWhole ? this.converted(object, from, to) : between(object, from ?? sentBody(this.request), to);
    const { stored, object: judged } = this.request;
    const text = object === judged && stored?.version === to ? stored : undefined;
    const keep = (each: JsonObject) => {
      const shown = new Shown(each, text);
      known.set(to.apiVersion, shown);
      return shown;
    };
    return made instanceof Promise ? made.then(keep) : keep(made);
  }

  private converted(object: JsonObject, from: ServedVersion | undefined, to: ServedVersion): Soon<JsonObject> {
    const { definition, signal } = this.request;
    if (definition.converter !== undefined) {
      const source = from ?? definition.storage;
      if (source.apiVersion === to.apiVersion) return object;
      if (this.conversion === undefined) throw new Error("there is nobody who converts objects");
      return this.conversion.convert(definition, object, { from: source, to }, signal);
    }
    return between(object, from, to);
  }
}

/** @param from undefined: the shape that rules see */
function between(object: JsonObject, from: ServedVersion | undefined, to: ServedVersion): JsonObject {
  if (from?.apiVersion === to.apiVersion) return object;
  const hub = from?.toHub === undefined ? object : from.toHub(copyJson(object));
  return named(to.fromHub === undefined ? { ...hub } : to.fromHub(copyJson(hub)), to);
}

class Shown {
  private made: Buffer | undefined;

  constructor(
    readonly object: JsonObject,
    private readonly text?: StoredText,
  ) {}

  get json(): Buffer {
    this.made ??= this.text?.bytes() ?? Buffer.from(encodeJson(this.object));
    return this.made;
  }
}

/** A class, for accessors of a literal are defined anew for each object. */
class Together implements ShownObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;

  constructor(
    private readonly current: Shown | undefined,
    private readonly old: Shown | undefined,
  ) {
    this.object = current?.object;
    this.oldObject = old?.object;
  }

  get objectJson(): Buffer {
    return this.current?.json ?? NULL;
  }

  get oldObjectJson(): Buffer {
    return this.old?.json ?? NULL;
  }
}

function named(object: JsonObject, { kind, apiVersion }: JsonObject | ServedVersion): JsonObject {
  object["kind"] = kind as string;
  object["apiVersion"] = apiVersion as string;
  return object;
}
