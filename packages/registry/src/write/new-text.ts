// A new object and its bytes, which are written once: those who judge it are shown what will be stored.
import type { StoredText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { encodeHub, type ResourceForm } from "../objects/resource-form";

export class NewText implements StoredText {
  private made: Buffer | undefined = undefined;

  /** @param object in the hub's shape; left as it is from now on */
  constructor(
    private readonly form: ResourceForm,
    readonly object: JsonObject,
  ) {}

  get version() {
    return this.form.stored;
  }

  /** Whether whoever sees the object by the version that is stored may be shown its bytes, which need nothing but to be written. */
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
