// Version of a kind that only bodies and responses of subresources have. Its type is loaded at first use.
import { apiVersionText, type GroupVersion, type ServedVersion } from "@orch/machinery";
import type { ObjectType, Schema } from "@orch/schema";

export class BodyVersion implements ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  private readonly schema: Schema;
  private loadedType: ObjectType | undefined;

  /** @param of group by its published name */
  constructor(schema: Schema, of: GroupVersion & { readonly kind: string }) {
    this.group = of.group;
    this.version = of.version;
    this.kind = of.kind;
    this.apiVersion = apiVersionText(of);
    this.schema = schema;
  }

  get type(): ObjectType {
    this.loadedType ??= this.schema.objectType(this.group, this.version, this.kind);
    if (this.loadedType === undefined) throw new Error(`the schema knows no ${this.apiVersion} ${this.kind}`);
    return this.loadedType;
  }
}
