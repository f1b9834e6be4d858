// Callbacks of the registry for metrics. Every member is optional and must return immediately.

export interface RegistryObserver {
  /** The cache received one change from the store. @param resource `<group or core>/<plural>` */
  readonly eventReceived?: (resource: string) => void;
  /** The cache was filled again. */
  readonly listed?: (objects: number) => void;
  /** A read went to the store because the cache could not serve it. */
  readonly storeRead?: (resource: string, objects: number) => void;
  /** A watch began with this number of objects. @param resource as errors name it: `pods`, `deployments.apps` */
  readonly watchPrimed?: (resource: string, objects: number) => void;
  /** The ring of recent changes of a resource was enlarged or reduced. @param resource `<group or core>/<plural>` */
  readonly windowResized?: (resource: string, change: "grown" | "shrunk") => void;
}
