// What an object is, as owner references and the server speak of it.
import type { OwnerReference } from "@orch/machinery";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** "" for objects without one. An owner that only references describe has the namespace of its dependent. */
  readonly namespace: string;
}

/** Whether a reference means this object; references say nothing of namespaces. */
export const matches = (reference: OwnerReference, { uid, kind, name, apiVersion }: Identity): boolean =>
  reference.uid === uid && reference.kind === kind && reference.name === name && reference.apiVersion === apiVersion;

export const identityText = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid]);
