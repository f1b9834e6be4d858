// Typed requests for one resource. Source: Kubernetes API concepts.
import { isCode, nameOf, namespaceOf } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import { ConnectionError } from "../transport/transport";
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
  /** Token of the next page; "" on the last one. */
  readonly continue: string;
  readonly remainingItemCount?: number;
}

/** Result of a deletion: the object when it remains for a while, or that it is gone. */
export type Deleted<T> = { readonly kind: "object"; readonly object: T } | { readonly kind: "gone" };

const PAGE_ITEMS = 500;

/**
 * Client of one resource. Every method throws StatusError for error responses, and ConnectionError or TimeoutError
 * without a response.
 */
export class ResourceClient<T extends object = JsonObject> {
  /** @param where undefined: all namespaces, or the cluster for resources without namespaces */
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

  /** Gets an object. @returns undefined when it does not exist */
  async find(name: string, options: GetOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(name, options);
    } catch (error) {
      if (isCode(error, 404)) return undefined;
      throw error;
    }
  }

  /** Lists one page: all objects, unless `limit` is set. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const { omitted, ...part } = this.partOf(options, "list");
    const path = this.path({}) + queryText(listQuery(options));
    const body = await this.send("GET", path, options, undefined, {
      ...part,
      ...(omitted && { omitted: { items: omitted } }),
    });
    const { metadata = {}, items } = body as unknown as ListBody<T>;
    // Otherwise a list would go on without end.
    if (options.continue && metadata.continue === options.continue)
      throw new ConnectionError(`the server answers GET ${this.path({})} with the continue token of the request`);
    return {
      items: items ?? [],
      resourceVersion: metadata.resourceVersion ?? "",
      continue: metadata.continue ?? "",
      ...(metadata.remainingItemCount === undefined ? {} : { remainingItemCount: metadata.remainingItemCount }),
    };
  }

  /** Yields the pages of one snapshot. The caller handles a 410 when the snapshot expires. */
  async *pages(options: ListOptions = {}): AsyncGenerator<List<T>, void, undefined> {
    let page = await this.list({ limit: PAGE_ITEMS, ...options });
    yield page;
    while (page.continue !== "") {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options; // contained in the continue token
      page = await this.list({ limit: PAGE_ITEMS, ...rest, continue: page.continue });
      yield page;
    }
  }

  /** Yields all objects of one snapshot, read page by page. */
  async *all(options: ListOptions = {}): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages(options)) yield* page.items;
  }

  /**
   * Yields changes until the server ends the watch, the signal is aborted or the loop is left. Use an informer for a
   * copy that survives failures.
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

  /** Replaces an object. With `metadata.resourceVersion`, only if it has not changed since (409 otherwise). */
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

  /**
   * Applies an object (server-side apply): sets its fields and owns them, and creates the object if it does not exist.
   */
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

  /** Deletes the selected objects of the namespace or of all namespaces. */
  async deleteCollection(
    selection: SelectionOptions & { readonly limit?: number } = {},
    options: DeleteOptions = {},
  ): Promise<void> {
    const { labelSelector, fieldSelector, limit } = selection;
    const path = this.path({}) + queryText({ labelSelector, fieldSelector, limit });
    const text = deleteBody(options);
    await this.send("DELETE", path, options, text === undefined ? undefined : { text });
  }

  /** Gets a subresource whose object may be of another kind, such as `scale`. */
  getSubresource<S extends object = JsonObject>(
    name: string,
    subresource: string,
    options: GetOptions = {},
  ): Promise<S> {
    return this.objectAs<S>("GET", this.path({ name, subresource }), options);
  }

  /** Puts a subresource. */
  updateSubresource<S extends object = JsonObject>(
    name: string,
    subresource: string,
    object: S,
    options: WriteOptions = {},
  ): Promise<S> {
    const path = this.path({ name, subresource }) + queryText(writeQuery(options));
    return this.objectAs<S>("PUT", path, options, { text: writeJson(object as unknown as JsonValue) });
  }

  /** Posts to a subresource, such as `eviction` or `binding` of a pod. */
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

  /** Returns the body. Missing `kind` and `apiVersion` are filled in: typed objects and list items often have none. */
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

/** Option of patch and apply for a subresource. */
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
