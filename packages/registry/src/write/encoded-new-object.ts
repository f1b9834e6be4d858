// A new object with its bytes, which are encoded once. Validating admission sees the bytes that will be stored.
import type { StoredText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { encodeHub, type ResourceForm } from "../objects/resource-form";

export class EncodedNewObject implements StoredText {
  private made: Buffer | undefined = undefined;

  /** @param object in the hub form; not changed from now on */
  constructor(
    private readonly form: ResourceForm,
    readonly object: JsonObject,
  ) {}

  get version() {
    return this.form.stored;
  }

  /** Whether admission that uses the stored version may see these bytes, which need only be encoded. */
  get isShownSo(): boolean {
    const { storage, readWhole } = this.form.definition;
    return this.form.byVersion === undefined && storage.fromHub === undefined && !readWhole;
  }

  /** @throws StatusError see `encodeHub` */
  bytes(): Buffer {
    this.made ??= encodeHub(this.form, this.object);
    return this.made;
  }
}
