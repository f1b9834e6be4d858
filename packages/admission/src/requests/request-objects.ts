// Objects of one request as webhooks and policies receive them. Each version is converted once and encoded as JSON
// once, however many readers there are. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/conversion.go.
import { type AdmissionRequest, copyJson, type ServedVersion, type StoredText } from "@orch/machinery";
import { encodeJson, type JsonObject } from "@orch/schema";
import type { ConversionReader, MaybePromise } from "../contract/dependencies";
import { isWhole, sentBody } from "./request-bodies";

/** Objects in one version. Readers must not change them. */
export interface VersionedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** JSON; `null` when there is no object. */
  readonly objectJson: Buffer;
  readonly oldObjectJson: Buffer;
}

const NULL = Buffer.from("null");

export class RequestObjects {
  /** Version of `current`. Undefined: the hub version. */
  private currentVersion: ServedVersion | undefined;
  private current: JsonObject | undefined;
  private readonly objects = new Map<string, Shown>();
  private readonly oldObjects = new Map<string, Shown>();
  private readonly isWhole: boolean;
  /** Number of changes of the object. Values derived from it are valid as long as this is the same. */
  changes = 0;

  /** @param conversion undefined: objects that need a conversion webhook cannot be converted */
  constructor(
    private readonly request: AdmissionRequest,
    private readonly conversion: ConversionReader | undefined,
  ) {
    this.isWhole = isWhole(request);
    this.current = request.object;
  }

  /** Returns the object in the version in which it was last changed. */
  get object(): JsonObject | undefined {
    return this.current;
  }

  /** Returns the objects in a version. @throws StatusError when they cannot be converted */
  in(version: ServedVersion): MaybePromise<VersionedObjects> {
    const object = this.shown(this.objects, this.current, this.currentVersion, version);
    const oldObject = this.shown(this.oldObjects, this.request.oldObject, undefined, version);
    if (object instanceof Promise || oldObject instanceof Promise)
      return Promise.all([object, oldObject]).then(([one, other]) => new Together(one, other));
    return new Together(object, oldObject);
  }

  /** Replaces the object by one in the given version. */
  change(object: JsonObject, version: ServedVersion): void {
    this.changes += 1;
    this.current = object;
    this.currentVersion = version;
    this.objects.clear();
    this.objects.set(version.apiVersion, new Shown(object));
  }

  /** Returns the object in the hub version. The caller may change it and must not call this again. */
  inHub(): MaybePromise<JsonObject | undefined> {
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
  ): MaybePromise<Shown | undefined> {
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

  private converted(object: JsonObject, from: ServedVersion | undefined, to: ServedVersion): MaybePromise<JsonObject> {
    const { definition, signal } = this.request;
    if (definition.converter !== undefined) {
      const source = from ?? definition.storage;
      if (source.apiVersion === to.apiVersion) return object;
      if (this.conversion === undefined) throw new Error("no converter is available");
      return this.conversion.convert(definition, object, { from: source, to }, signal);
    }
    return between(object, from, to);
  }
}

/** Converts between versions that have functions. @param from undefined: the hub version */
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

/** Pairs the two objects. A class, because an object literal defines its accessors anew for each instance. */
class Together implements VersionedObjects {
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
