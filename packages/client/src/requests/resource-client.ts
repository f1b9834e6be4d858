// Typed requests for one resource. Source: resource-api, "Operations".
import { isCode, nameOf, namespaceOf } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import {
  APPLY_TYPE,
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  deleteBody,
  type GetOptions,
  type ListOptions,
  listQuery,
  PATCH_TYPES,
  type PartOptions,
  type PatchType,
  queryText,
  type SelectionOptions,
  type WatchOptions,
  type WriteOptions,
  watchQuery,
  writeQuery,
} from "./options";
import type { ApiRequest, RequestSender } from "./request-sender";
import { type ResourceType, resourcePath } from "./resource-type";
import { type WatchEvent, watchEvents } from "./watch-events";

export interface List<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** For the next page; "" on the last one. */
  readonly continue: string;
  readonly remainingItemCount?: number;
}

/** What a deletion answers: the object where it lives on for a while, a Status where it is gone. */
export type Deleted<T> = { readonly kind: "object"; readonly object: T } | { readonly kind: "gone" };

const PAGE_ITEMS = 500;

/** Every method throws StatusError for what the server refuses, ConnectionError and TimeoutError where there is no answer. */
export class ResourceClient<T extends object = JsonObject> {
  /** @param where undefined: all namespaces, or the cluster for resources that have none */
  constructor(
    private readonly sender: RequestSender,
    readonly type: ResourceType<T>,
    private readonly where: string | undefined,
  ) {}

  namespace(namespace: string): ResourceClient<T> {
    return new ResourceClient(this.sender, this.type, namespace);
  }

  get(name: string, options: GetOptions = {}): Promise<T> {
    const path = this.path({ name }) + queryText({ resourceVersion: options.resourceVersion });
    return this.send("GET", path, options, undefined, this.partOf(options, "object")) as Promise<unknown> as Promise<T>;
  }

  /** @returns undefined where there is no such object */
  async find(name: string, options: GetOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isCode(error, 404)) return undefined;
      throw error;
    }
  }

  /** One page: all of it, unless `limit` is set. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const { omitted, ...part } = this.partOf(options, "list");
    const path = this.path({}) + queryText(listQuery(options));
    const body = await this.send("GET", path, options, undefined, {
      ...part,
      ...(omitted && { omitted: { items: omitted } }),
    });
    const { metadata = {}, items } = body as unknown as ListBody<T>;
    return {
      items: items ?? [],
      resourceVersion: metadata.resourceVersion ?? "",
      continue: metadata.continue ?? "",
      ...(metadata.remainingItemCount === undefined ? {} : { remainingItemCount: metadata.remainingItemCount }),
    };
  }

  /** Page after page of one snapshot. A 410 while paging (the snapshot is too old) is the caller's to handle. */
  async *pages(options: ListOptions = {}): AsyncGenerator<List<T>, void, undefined> {
    let page = await this.list({ limit: PAGE_ITEMS, ...options });
    yield page;
    while (page.continue !== "") {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options; // the token knows them
      page = await this.list({ limit: PAGE_ITEMS, ...rest, continue: page.continue });
      yield page;
    }
  }

  /** Every object of one snapshot, read page by page. */
  async *all(options: ListOptions = {}): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages(options)) yield* page.items;
  }

  /**
   * Changes as they happen, until the server ends the watch or the signal is aborted; breaking out of the loop ends it too.
   * For a view that is kept up to date over any disturbance, use an informer.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const path = this.path({}) + queryText(watchQuery(options));
    const { omitted, ...part } = this.partOf(options, "object");
    const body = await this.sender.stream({ method: "GET", path, ...part, ...bounds(options) });
    try {
      yield* watchEvents<T>(body, omitted);
    } catch (error) {
      throw options.signal?.aborted === true ? options.signal.reason : error;
    } finally {
      body.destroy();
    }
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    const path = this.path({ namespace: namespaceIn(object) });
    return this.object("POST", path + queryText(writeQuery(options)), options, this.bodyOf(object));
  }

  /** Replaces the object; with `metadata.resourceVersion`, only if nobody has changed it since (409 otherwise). */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.put(object, undefined, options);
  }

  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return this.put(object, "status", options);
  }

  patch(name: string, type: PatchType, patch: object, options: WriteOptions & Subresource = {}): Promise<T> {
    const path = this.path({ name, ...subresourceOf(options) }) + queryText(writeQuery(options));
    return this.object("PATCH", path, options, { text: writeJson(patch as JsonValue), type: PATCH_TYPES[type] });
  }

  /** Says which fields should be how, and owns them; creates the object where there is none. Named by its metadata. */
  apply(object: T, options: ApplyOptions & Subresource): Promise<T> {
    const at = { name: nameOf(object as JsonObject), namespace: namespaceIn(object), ...subresourceOf(options) };
    const path = this.path(at) + queryText({ ...writeQuery(options), force: options.force });
    return this.object("PATCH", path, options, { ...this.bodyOf(object), type: APPLY_TYPE });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<Deleted<T>> {
    const text = deleteBody(options);
    const body = await this.send("DELETE", this.path({ name }), options, text === undefined ? undefined : { text });
    return isStatus(body) ? { kind: "gone" } : { kind: "object", object: body as T };
  }

  /** Deletes what the selectors select, of the namespace or of everywhere. */
  async deleteCollection(
    selection: SelectionOptions & { readonly limit?: number } = {},
    options: DeleteOptions = {},
  ): Promise<void> {
    const { labelSelector, fieldSelector, limit } = selection;
    const path = this.path({}) + queryText({ labelSelector, fieldSelector, limit });
    const text = deleteBody(options);
    await this.send("DELETE", path, options, text === undefined ? undefined : { text });
  }

  /** GET of a sub-resource whose object may be of another kind, such as `scale`. */
  getSubresource<S extends object = JsonObject>(
    name: string,
    subresource: string,
    options: GetOptions = {},
  ): Promise<S> {
    return this.objectAs<S>("GET", this.path({ name, subresource }), options);
  }

  /** PUT to a sub-resource. */
  updateSubresource<S extends object = JsonObject>(
    name: string,
    subresource: string,
    object: S,
    options: WriteOptions = {},
  ): Promise<S> {
    const path = this.path({ name, subresource }) + queryText(writeQuery(options));
    return this.objectAs<S>("PUT", path, options, { text: writeJson(object as unknown as JsonValue) });
  }

  /** POST to a sub-resource, such as a pod's `eviction` or `binding`. */
  createSubresource<S extends object = JsonObject>(
    name: string,
    subresource: string,
    object: object,
    options: WriteOptions = {},
  ): Promise<S> {
    const path = this.path({ name, subresource }) + queryText(writeQuery(options));
    return this.objectAs<S>("POST", path, options, { text: writeJson(object as unknown as JsonValue) });
  }

  private put(object: T, subresource: string | undefined, options: WriteOptions): Promise<T> {
    const at = { name: nameOf(object as JsonObject), namespace: namespaceIn(object) };
    const path = this.path(subresource === undefined ? at : { ...at, subresource });
    return this.object("PUT", path + queryText(writeQuery(options)), options, this.bodyOf(object));
  }

  private path(of: { readonly name?: string; readonly namespace?: string | undefined; readonly subresource?: string }) {
    const namespace = this.type.namespaced ? (of.namespace ?? this.where) : undefined;
    return resourcePath(this.type, { ...of, namespace });
  }

  /** Kind and version are filled in where the object says nothing: typed objects and items of lists often do not. */
  private bodyOf(object: T): Body {
    const { group, version, kind } = this.type;
    return { text: JSON.stringify({ apiVersion: group === "" ? version : `${group}/${version}`, kind, ...object }) };
  }

  private object(method: Method, path: string, options: CallOptions, body?: Body): Promise<T> {
    return this.objectAs<T>(method, path, options, body);
  }

  private async objectAs<S>(method: Method, path: string, options: CallOptions, body?: Body): Promise<S> {
    return (await this.send(method, path, options, body)) as S;
  }

  private partOf({ part, dropsManagedFields }: PartOptions, of: "object" | "list"): Part {
    return {
      ...(part === "metadata" ? { accept: this.sender.metadataTypes(of) } : {}),
      ...(dropsManagedFields === true ? { omitted: MANAGED_FIELDS } : {}),
    };
  }

  private send(method: Method, path: string, options: CallOptions, body?: Body, part: Part = {}): Promise<JsonValue> {
    return this.sender.json({
      method,
      path,
      ...part,
      ...bounds(options),
      ...(body === undefined ? {} : { body: body.text }),
      ...(body?.type === undefined ? {} : { contentType: body.type }),
    });
  }
}

/** Patch and apply reach a sub-resource too. */
export interface Subresource {
  readonly subresource?: string;
}

type Method = ApiRequest["method"];

interface Body {
  readonly text: string;
  /** Default: JSON. */
  readonly type?: string;
}

type Part = Pick<ApiRequest, "accept" | "omitted">;

const MANAGED_FIELDS = { metadata: { managedFields: true } } as const;

interface ListBody<T> {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly T[] | null;
}

const bounds = ({ signal, timeoutMs }: CallOptions): Pick<ApiRequest, "signal" | "timeoutMs"> => ({
  signal,
  timeoutMs,
});

const subresourceOf = ({ subresource }: Subresource): Subresource => (subresource === undefined ? {} : { subresource });

const namespaceIn = (object: object): string | undefined => namespaceOf(object as JsonObject) || undefined;

const isStatus = (body: JsonValue): boolean => isObject(body) && body["kind"] === "Status";
