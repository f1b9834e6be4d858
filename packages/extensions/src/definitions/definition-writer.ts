// Writes the status and the finalizers of custom resource definitions, always through the status subresource: the spec
// is not validated again. Writes of large definitions run in another thread.
import { metaOf } from "@orch/machinery";
import type { Entry, EventLoopYielder, ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject } from "@orch/schema";

interface OwnParts {
  readonly uid: string;
  readonly generation: number;
  readonly finalizers: readonly string[];
  readonly status: JsonObject;
}

/** Computes a change. @returns the given status when nothing is to change */
export type DefinitionChange = (own: OwnParts) => Partial<Pick<OwnParts, "status" | "finalizers">>;

export interface DefinitionWriterParts {
  /** Storage of custom resource definitions. */
  readonly definitions: ResourceStorage;
  readonly write: WriteContext;
  /** Time slices for writes: definitions change in large numbers, and each write parses and validates one. */
  readonly loop: EventLoopYielder;
  /**
   * Patches the status subresource in another thread. Absent: all writes run in this thread.
   * @param operations a JSON patch of the status subresource
   */
  readonly patchElsewhere?: ((entry: Entry, operations: readonly JsonObject[]) => Promise<void>) | undefined;
}

const STATUS = {};

/** Returns the status, memoized with the entry to avoid repeated parsing. @param object returns the parsed entry */
export const statusOf = (entry: Entry, object: () => JsonObject): JsonObject =>
  entry.made(STATUS, () => statusIn(object()));

const statusIn = ({ status }: JsonObject): JsonObject => (isObject(status) ? status : {});

export class DefinitionWriter {
  constructor(private readonly parts: DefinitionWriterParts) {}

  /** Applies a change. @throws StatusError NotFound (404); Conflict (409) after repeated conflicts */
  async change(name: string, change: DefinitionChange): Promise<void> {
    const { definitions, loop, patchElsewhere } = this.parts;
    if (loop.isOver) await loop.next();
    const entry = definitions.peek({ namespace: "", name });
    if (entry?.isLarge && patchElsewhere !== undefined) await this.changeLarge(entry, change, patchElsewhere);
    else await this.changeHere(name, change);
  }

  private async changeHere(name: string, change: DefinitionChange): Promise<void> {
    const { definitions, write } = this.parts;
    const rules = definitions.definition.subresources["status"];
    if (rules === undefined) throw new Error("definitions have no status");
    const changed = (object: JsonObject): JsonObject => {
      const { uid = "", generation = 1, finalizers = [] } = metaOf(object);
      const next = change({ uid, generation: Number(generation), finalizers, status: statusIn(object) });
      const metadata = { ...(object["metadata"] as JsonObject), finalizers: [...(next.finalizers ?? finalizers)] };
      return { ...object, ...(next.finalizers && { metadata }), ...(next.status && { status: next.status }) };
    };
    await definitions.changeInPlace(
      changed,
      { namespace: "", name },
      { ...write, subresource: { name: "status", rules } },
    );
  }

  private async changeLarge(
    entry: Entry,
    change: DefinitionChange,
    patch: NonNullable<DefinitionWriterParts["patchElsewhere"]>,
  ): Promise<void> {
    const before = statusOf(entry, () => entry.object());
    const { status = before, finalizers } = change({
      uid: String(entry.metadata("uid")),
      generation: Number(entry.metadata("generation") ?? 1),
      finalizers: (entry.metadata("finalizers") ?? []) as readonly string[],
      status: before,
    });
    if (status === before && finalizers === undefined) return;
    await patch(entry, [
      { op: "replace", path: "/metadata/resourceVersion", value: String(entry.resourceVersion) },
      { op: "add", path: "/status", value: status },
      ...(finalizers === undefined ? [] : [{ op: "add", path: "/metadata/finalizers", value: [...finalizers] }]),
    ]);
  }
}
