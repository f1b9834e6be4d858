// From what a client accepts to the form that its answer is written in.
import { NOT_ACCEPTABLE_TEXT, notAcceptable, parseIncludeObject } from "@orch/machinery";
import type { Entry, ReadOptions } from "@orch/registry";
import type { Schema } from "@orch/schema";
import type { ApiRequest } from "../../pipeline/request-context";
import type { ResourceRoute, Route } from "../../routes/resource-route";
import { OFFERS } from "../content-negotiation";
import { type Representation, tableIncluding } from "../representation";
import { indentedForm } from "./indented-form";
import { jsonForm } from "./json-form";
import { HERE, type JsonForm, type MadeOf, type MakeElsewhere, type ObjectForm, type Shown } from "./object-form";
import { metaApiVersion, partialMetadataForm } from "./partial-metadata-form";
import { hasProtobuf, protobufForm } from "./protobuf-form";
import { tableForm } from "./table-form";
import { yamlForm } from "./yaml-form";

/** What the answer holds. */
export type AnswerOf = "object" | "list" | "stream";

interface Asked {
  readonly request: ApiRequest;
  readonly info: { readonly route: ResourceRoute; readonly query: URLSearchParams | undefined };
}

/** One form of one route, as two threads can name it. */
export interface FormPlace {
  readonly route: string;
  readonly representation: Representation;
  readonly indented: boolean;
}

export interface FormsDeps {
  readonly schema: Schema;
  /** Where to make what takes long. Absent: here. */
  readonly elsewhere?: (place: FormPlace, what: MadeOf, entry: Entry) => Promise<unknown>;
  /** Milliseconds since 1970: ages in tables count up to it. */
  readonly now: () => number;
}

/** The forms of all routes. */
export class AnswerForms {
  private readonly routes = new WeakMap<Route, RouteForms>();

  constructor(private readonly deps: FormsDeps) {}

  /** @throws StatusError NotAcceptable (406); BadRequest (400) for options of a table that are wrong */
  for(asked: Asked, answer: AnswerOf): ObjectForm {
    const { request } = asked;
    const { route } = asked.info;
    const representation = representationFor(asked, answer);
    return this.at(route, representation, request.context.pretty && representation.format === "json");
  }

  /** @param indented text for people, of a representation in JSON */
  at(route: ResourceRoute, representation: Representation, indented: boolean): ObjectForm {
    const forms = this.ofRoute(route);
    return indented ? forms.indented(representation) : forms.of(representation);
  }

  private ofRoute(route: ResourceRoute): RouteForms {
    let forms = this.routes.get(route);
    if (forms === undefined) {
      const { definition, bodies, subresource } = route;
      const columns = subresource?.rules.view === undefined ? (bodies.columns ?? definition.columns) : bodies.columns;
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
  // Remembered, for a failure that may be the answer in the end.
  if (decision.pretty === true) context.pretty = true;
  const { representation } = decision;
  requireFitting(representation, route, answer);
  return representation.shape.as === "table"
    ? tableIncluding(representation, parseIncludeObject(query))
    : representation;
}

const offersOf = ({ bodies }: Route) => (hasProtobuf(bodies) ? OFFERS.withProtobuf : OFFERS.texts);

/** An object as a route shows it. */
export function shownIn(form: ObjectForm, { subresource }: ResourceRoute, entry: Entry): Buffer {
  const view = subresource?.rules.view;
  return view === undefined ? form.entry(entry) : form.object(view.read(entry.inHub()));
}

/**
 * To be awaited before entries are shown, where versions have to be asked for: see `ResourceStorage.prepare`.
 * @returns undefined, nearly always, when nothing has to be waited for. Rejects with a StatusError
 */
export function preparedFor(
  { storage, version, subresource, definition }: ResourceRoute,
  entries: readonly Entry[],
  signal: ReadOptions["signal"],
): Promise<void> | undefined {
  const shown = subresource?.rules.view === undefined ? version : definition.storage;
  return storage.prepare?.(entries, shown, signal && { signal });
}

/** The same, made where it holds up nobody. */
export function shownLate(form: ObjectForm, route: ResourceRoute, entry: Entry): Buffer | Promise<Buffer> {
  const isCut = form.isCut && route.subresource?.rules.view === undefined;
  const late = isCut ? undefined : form.elsewhere("answer", entry);
  return late === undefined ? shownIn(form, route, entry) : (late as Promise<Buffer>);
}

/** Metadata of one object is not that of a list. Source: facts, table.md and errors.json. */
function requireFitting({ shape }: Representation, { definition, bodies }: Route, answer: AnswerOf): void {
  if (shape.as !== "partialMetadata" || shape.ofList === (answer === "list")) return;
  throw notAcceptable(
    shape.ofList
      ? NOT_ACCEPTABLE_TEXT.metadataListOfObject(bodies.kind)
      : NOT_ACCEPTABLE_TEXT.metadataOfList(definition.listKind),
  );
}

/** The forms of one route, made on first demand. */
class RouteForms {
  private readonly forms = new Map<Representation, ObjectForm>();
  private readonly compact = new Map<Representation["shape"], JsonForm>();
  private readonly indents = new Map<Representation, ObjectForm>();

  constructor(
    private readonly route: Pick<Route, "path" | "inLane">,
    private readonly shown: Shown,
    private readonly deps: FormsDeps,
  ) {}

  /** Of one form: nearly all entries are no work, and nothing is asked of anybody. */
  private elsewhere(representation: Representation, indented = false): MakeElsewhere {
    const { elsewhere } = this.deps;
    const { path, inLane } = this.route;
    const place = { route: path, representation, indented };
    return elsewhere === undefined || !inLane
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

  private make(representation: Representation): ObjectForm {
    const { format, shape } = representation;
    switch (format) {
      case "json":
        return this.compactOf(representation);
      case "yaml":
        return yamlForm(this.compactOf(representation), "application/yaml", this.elsewhere(representation));
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

  private makeCompact(shape: Representation["shape"], elsewhere: MakeElsewhere): JsonForm {
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
