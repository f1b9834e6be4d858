// Selects the form of an answer from what the client accepts.
import { badRequest, type FieldTree, NOT_ACCEPTABLE_TEXT, notAcceptable, parseIncludeObject } from "@orch/machinery";
import type { Entry, ReadOptions } from "@orch/registry";
import type { Schema } from "@orch/schema";
import { OFFERS } from "../representations/content-negotiation";
import { cborForm } from "../representations/forms/cbor-form";
import { indentedForm } from "../representations/forms/indented-form";
import { jsonForm } from "../representations/forms/json-form";
import {
  type FormContext,
  HERE,
  type JsonForm,
  type ObjectForm,
  type RenderedPart,
  type RenderInWorker,
} from "../representations/forms/object-form";
import { metaApiVersion, partialMetadataForm } from "../representations/forms/partial-metadata-form";
import { projectedForm } from "../representations/forms/projected-form";
import { hasProtobuf, protobufForm } from "../representations/forms/protobuf-form";
import { tableForm } from "../representations/forms/table-form";
import { yamlForm } from "../representations/forms/yaml-form";
import { JSON_AS_IS, type Representation, tableIncluding } from "../representations/representation";
import type { ApiRequest } from "../request/request-context";
import type { ResourceRoute, Route } from "../routes/resource-route";

/** Kind of content of the answer. */
export type AnswerOf = "object" | "list" | "stream";

interface Asked {
  readonly request: ApiRequest;
  readonly info: { readonly route: ResourceRoute; readonly query: URLSearchParams | undefined };
}

/** Identifies one form of one route across threads. */
export interface FormKey {
  readonly route: string;
  readonly representation: Representation;
  readonly indented: boolean;
}

export interface FormsDeps {
  readonly schema: Schema;
  /** Makes expensive parts of an answer in another thread. Absent: they are made here. */
  readonly elsewhere?: (place: FormKey, what: RenderedPart, entry: Entry) => Promise<unknown>;
  /** Milliseconds since 1970; the reference of ages in tables. */
  readonly now: () => number;
}

/** The forms of all routes. */
export class AnswerForms {
  private readonly routes = new WeakMap<Route, RouteForms>();

  constructor(private readonly deps: FormsDeps) {}

  /** @throws StatusError NotAcceptable (406); BadRequest (400) for invalid table options */
  for(asked: Asked, answer: AnswerOf): ObjectForm {
    const { request } = asked;
    const { route } = asked.info;
    const representation = representationFor(asked, answer);
    return this.at(route, representation, request.context.pretty && representation.format === "json");
  }

  /**
   * Returns the form of an answer with a part of the fields, which exists as JSON and in the forms derived from it.
   * @throws StatusError NotAcceptable (406); BadRequest (400) for a client that accepts only tables or metadata
   */
  projected(asked: Asked, fields: FieldTree): ObjectForm {
    const { request, info } = asked;
    const { context } = request;
    const { accept } = request.headers;
    const isConversion =
      context.negotiation.find(accept, OFFERS.texts.document) === undefined &&
      context.negotiation.find(accept, OFFERS.texts.object) !== undefined;
    if (isConversion)
      throw badRequest("fields: cannot be combined with a Table or PartialObjectMetadata; accept application/json");
    const { representation, pretty } = context.negotiation.require(accept, OFFERS.texts.document);
    if (pretty === true) context.pretty = true;
    return this.ofRoute(info.route).projected(representation.format, fields, context.pretty);
  }

  /**
   * Returns the form of the objects of one route in a JSON stream that has objects of several routes.
   * @param accept of the request, where application/json stands for the type of the stream
   * @returns undefined when the client accepts no JSON
   * @throws StatusError NotAcceptable (406); BadRequest (400) for invalid table options
   */
  inStream({ request, info }: Asked, accept: string): ObjectForm | undefined {
    const representation = request.context.negotiation.find(accept, OFFERS.texts.stream)?.representation;
    if (representation?.format !== "json") return undefined;
    requireFitting(representation, info.route, "stream");
    return this.at(info.route, withOptions(representation, info.query), false);
  }

  /** The JSON form of objects, whatever the client accepts. */
  compact(route: ResourceRoute): ObjectForm {
    return this.at(route, JSON_AS_IS, false);
  }

  /** @param indented JSON for people */
  at(route: ResourceRoute, representation: Representation, indented: boolean): ObjectForm {
    const forms = this.ofRoute(route);
    return indented ? forms.indented(representation) : forms.of(representation);
  }

  private ofRoute(route: ResourceRoute): RouteForms {
    let forms = this.routes.get(route);
    if (forms === undefined) {
      const { definition, bodies, subresource } = route;
      const view = subresource?.rules.view;
      const columns = view === undefined ? (bodies.columns ?? definition.columns) : (bodies.columns ?? view.columns);
      forms = new RouteForms(route, { definition, version: bodies, columns }, this.deps);
      this.routes.set(route, forms);
    }
    return forms;
  }
}

function representationFor({ request, info }: Asked, answer: AnswerOf): Representation {
  const { context } = request;
  const { route, query } = info;
  const offers = offersOf(route);
  const decision = context.negotiation.require(
    request.headers.accept,
    answer === "stream" ? offers.stream : offers.object,
  );
  // Kept in the context, for a failure that may follow.
  if (decision.pretty === true) context.pretty = true;
  const { representation } = decision;
  requireFitting(representation, route, answer);
  return withOptions(representation, query);
}

const withOptions = (representation: Representation, query: URLSearchParams | undefined): Representation =>
  representation.shape.as === "table" ? tableIncluding(representation, parseIncludeObject(query)) : representation;

const offersOf = ({ bodies }: Route) => (hasProtobuf(bodies) ? OFFERS.withProtobuf : OFFERS.texts);

/** Renders an object as a route shows it. */
export function renderFor(form: ObjectForm, { subresource }: ResourceRoute, entry: Entry): Buffer {
  const view = subresource?.rules.view;
  return view === undefined ? form.entry(entry) : form.object(view.read(entry.inHub()));
}

/**
 * Prepares entries whose versions must be converted by a webhook; see `ResourceStorage.prepare`. Await the result
 * before the entries are rendered.
 * @returns undefined, nearly always, when there is nothing to wait for. Rejects with a StatusError
 */
export function preparedFor(
  { storage, version, subresource, definition }: ResourceRoute,
  entries: readonly Entry[],
  signal: ReadOptions["signal"],
): Promise<void> | undefined {
  const shown = subresource?.rules.view === undefined ? version : definition.storage;
  return storage.prepare?.(entries, shown, signal && { signal });
}

/** Renders an object as `renderFor` does, expensive ones in another thread. */
export function renderDeferred(form: ObjectForm, route: ResourceRoute, entry: Entry): Buffer | Promise<Buffer> {
  const isCut = form.isCut && route.subresource?.rules.view === undefined;
  const late = isCut ? undefined : form.elsewhere("answer", entry);
  return late === undefined ? renderFor(form, route, entry) : (late as Promise<Buffer>);
}

/**
 * Requires the partial metadata kind to match the answer: that of a list differs from that of an object. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go.
 */
function requireFitting({ shape }: Representation, { definition, bodies }: Route, answer: AnswerOf): void {
  if (shape.as !== "partialMetadata" || shape.ofList === (answer === "list")) return;
  throw notAcceptable(
    shape.ofList
      ? NOT_ACCEPTABLE_TEXT.metadataListOfObject(bodies.kind)
      : NOT_ACCEPTABLE_TEXT.metadataOfList(definition.listKind),
  );
}

/** The forms of one route, made on first use. */
class RouteForms {
  private readonly forms = new Map<Representation, ObjectForm>();
  private readonly compact = new Map<Representation["shape"], JsonForm>();
  private readonly indents = new Map<Representation, ObjectForm>();

  constructor(
    private readonly route: Pick<Route, "path" | "inWorkers">,
    private readonly shown: FormContext,
    private readonly deps: FormsDeps,
  ) {}

  /** Offload function of one form. Nearly all entries are small and rendered here. */
  private elsewhere(representation: Representation, indented = false): RenderInWorker {
    const { elsewhere } = this.deps;
    const { path, inWorkers } = this.route;
    const place = { route: path, representation, indented };
    return elsewhere === undefined || !inWorkers
      ? HERE
      : (what, entry) => (entry.isLarge ? elsewhere(place, what, entry) : undefined);
  }

  of(representation: Representation): ObjectForm {
    let form = this.forms.get(representation);
    if (form === undefined) {
      form = this.make(representation);
      this.forms.set(representation, form);
    }
    return form;
  }

  indented(representation: Representation): ObjectForm {
    let form = this.indents.get(representation);
    if (form === undefined) {
      form = indentedForm(this.compactOf(representation), this.elsewhere(representation, true));
      this.indents.set(representation, form);
    }
    return form;
  }

  /** Not kept: clients choose the fields. */
  projected(format: Representation["format"], fields: FieldTree, indented: boolean): ObjectForm {
    const compact = projectedForm(this.shown, this.compactOf(JSON_AS_IS), fields);
    switch (format) {
      case "yaml":
        return yamlForm(compact, "application/yaml", HERE);
      case "cbor":
        return cborForm(compact, HERE);
      default:
        return indented ? indentedForm(compact, HERE) : compact;
    }
  }

  private make(representation: Representation): ObjectForm {
    const { format, shape } = representation;
    switch (format) {
      case "json":
        return this.compactOf(representation);
      case "yaml":
        return yamlForm(this.compactOf(representation), "application/yaml", this.elsewhere(representation));
      case "cbor":
        return cborForm(this.compactOf(representation), this.elsewhere(representation));
      case "protobuf": {
        const contentType = this.deps.schema.vocabulary.mediaTypes.protobuf;
        const metadata = shape.as === "partialMetadata" ? shape : undefined;
        const options = { schema: this.deps.schema, contentType, metadata };
        return protobufForm(this.shown, options, this.elsewhere(representation));
      }
    }
  }

  private compactOf({ shape }: Representation): JsonForm {
    let form = this.compact.get(shape);
    if (form === undefined) {
      form = this.makeCompact(shape, this.elsewhere({ format: "json", shape }));
      this.compact.set(shape, form);
    }
    return form;
  }

  private makeCompact(shape: Representation["shape"], elsewhere: RenderInWorker): JsonForm {
    switch (shape.as) {
      case "object":
        return jsonForm(this.shown, elsewhere);
      case "partialMetadata":
        return partialMetadataForm(metaApiVersion(this.deps.schema.vocabulary, shape.version));
      case "table":
        return tableForm(
          this.shown,
          {
            include: shape.include,
            apiVersion: metaApiVersion(this.deps.schema.vocabulary, shape.version),
            now: this.deps.now,
          },
          elsewhere,
        );
    }
  }
}
