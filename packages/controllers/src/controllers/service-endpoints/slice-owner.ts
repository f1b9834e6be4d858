// Creation of slices. The object that a slice is derived from owns it, so that the garbage collector deletes them
// together.
import type { metaV1 } from "@orch/schema";
import type { AddressType, Slice, SlicePort } from "./slice-form";

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: metaV1.ObjectMeta;
}

interface SliceParts {
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly addressType: AddressType;
  readonly ports: readonly SlicePort[];
}

/** Maximum length of an object's name; the server adds five characters to a prefix. */
const NAME_MAX = 253;

/** Returns a slice without endpoints; the server generates its name. */
export function madeSlice(
  { apiVersion, kind, metadata = {} }: Owner,
  { labels, annotations, addressType, ports }: SliceParts,
): Slice {
  const { name = "", namespace = "", uid = "" } = metadata;
  return {
    metadata: {
      generateName: name.length < NAME_MAX ? `${name}-` : name,
      namespace,
      labels,
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType,
    endpoints: null,
    // kube-controller-manager writes null for an empty list.
    ports: ports.length > 0 ? [...ports] : null,
  };
}

export const ownedBy = (slice: Slice, { metadata }: { readonly metadata?: metaV1.ObjectMeta }): boolean =>
  slice.metadata?.ownerReferences?.some(({ controller, uid }) => controller === true && uid === metadata?.uid) === true;
