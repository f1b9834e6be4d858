// What the registry tells those who count. Every member is optional and must return at once.

export interface RegistryObserver {
  /** One change came from the store. @param resource `<group or core>/<plural>` */
  readonly eventReceived?: (resource: string) => void;
  /** The cache was filled anew. */
  readonly listed?: (objects: number) => void;
  /** A read went to the store because the cache could not serve it. */
  readonly storeRead?: (resource: string, objects: number) => void;
  /** A watch began with so many objects. @param resource as errors name it: `pods`, `deployments.apps` */
  readonly watchPrimed?: (resource: string, objects: number) => void;
  /** Room for more recent changes of a resource was made, or given up. @param resource `<group or core>/<plural>` */
  readonly windowResized?: (resource: string, change: "grown" | "shrunk") => void;
}
