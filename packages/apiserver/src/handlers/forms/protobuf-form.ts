// Objects, and their metadata alone, in protobuf. No type has its form yet: nothing is offered, and who asks for nothing else is
// answered 406.
import type { ServedVersion } from "@orch/machinery";
import type { MetaVersion } from "../representation";
import type { ObjectForm, Shown } from "./object-form";

/** Whether objects of a version can be written, and so may be offered. */
export const hasProtobuf = (_version: ServedVersion): boolean => false;

/**
 * Called only for versions that have protobuf.
 * @param metadata set: PartialObjectMetadata of this version of the meta group instead of the whole object
 */
export function protobufForm(
  { version }: Shown,
  _of: {
    readonly contentType: string;
    readonly metadata: { readonly version: MetaVersion; readonly ofList: boolean } | undefined;
  },
): ObjectForm {
  throw new Error(`${version.kind} has no protobuf form`);
}
