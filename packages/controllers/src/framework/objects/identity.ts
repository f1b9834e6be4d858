// Identity of an object, as owner references and the API describe it.

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** "" for cluster-scoped objects. An owner that is known only from references gets the namespace of its dependent. */
  readonly namespace: string;
}
