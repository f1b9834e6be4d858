// Types of API objects in tests.

/** Members of an API object that tests read. */
export interface ApiObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly items?: readonly ApiObject[];
  readonly data?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}
