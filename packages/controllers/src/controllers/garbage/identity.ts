// Identity of an object, as owner references and the API describe it.
import type { OwnerReference } from "@orch/machinery";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** "" for cluster-scoped objects. An owner that is known only from references gets the namespace of its dependent. */
  readonly namespace: string;
}

/** Returns whether a reference describes this object; references contain no namespace. */
export const matches = (reference: OwnerReference, { uid, kind, name, apiVersion }: Identity): boolean =>
  reference.uid === uid && reference.kind === kind && reference.name === name && reference.apiVersion === apiVersion;

export const identityText = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid]);
