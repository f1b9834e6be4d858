// From what a client accepts to the form that its answer is written in.
import { NOT_ACCEPTABLE_TEXT, notAcceptable } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import type { Schema } from "@orch/schema";
import type { ApiRequest } from "../../pipeline/request-context";
import { type Decision, OFFERS } from "../content-negotiation";
import type { Representation } from "../representation";
import type { ResourceRoute, Route } from "../resource-route";
import { indentedForm } from "./indented-form";
import { jsonForm } from "./json-form";
import type { JsonForm, ObjectForm, Shown } from "./object-form";
import { metaApiVersion, partialMetadataForm } from "./partial-metadata-form";
import { hasProtobuf, protobufForm } from "./protobuf-form";
import { yamlForm } from "./yaml-form";

/** What the answer holds. */
export type AnswerOf = "object" | "list" | "stream";

interface Asked {
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
}

/** @throws StatusError NotAcceptable (406); BadRequest (400) for options of a table that are wrong */
export function formFor(asked: Asked, answer: AnswerOf): ObjectForm {
  const { request, route } = asked;
  const { context } = request;
  const offers = offersOf(route);
  const decision = context.negotiation.require(
    request.headers.accept,
    answer === "stream" ? offers.stream : offers.object,
  );
  const pretty = wantsPretty(request, decision);
  const { representation } = decision;
  requireFitting(representation, route, answer);
  const forms = formsOf(route, context.negotiation.schema);
  return pretty && representation.format === "json" ? forms.indented(representation) : forms.of(representation);
}

/** Asked for by the clause, the query, or by being a people's client. Remembered, for a failure that may be the answer in the end. */
export function wantsPretty({ context }: ApiRequest, { pretty }: Decision): boolean {
  if (pretty === true) context.pretty = true;
  return context.pretty;
}

export const offersOf = ({ bodies }: Route) => (hasProtobuf(bodies) ? OFFERS.withProtobuf : OFFERS.texts);

/** An object as a route shows it. */
export function shownIn(form: ObjectForm, { subresource }: Route, entry: Entry): Buffer {
  const view = subresource?.rules.view;
  return view === undefined ? form.entry(entry) : form.object(view.read(entry.object()));
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
    private readonly shown: Shown,
    private readonly schema: Schema,
  ) {}

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
      form = indentedForm(this.compactOf(representation));
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
        return yamlForm(this.compactOf(representation), "application/yaml");
      case "protobuf": {
        const contentType = this.schema.vocabulary.mediaTypes.protobuf;
        return protobufForm(this.shown, {
          schema: this.schema,
          contentType,
          metadata: shape.as === "partialMetadata" ? shape : undefined,
        });
      }
    }
  }

  private compactOf({ shape }: Representation): JsonForm {
    let form = this.compact.get(shape);
    if (form === undefined) {
      form = this.makeCompact(shape);
      this.compact.set(shape, form);
    }
    return form;
  }

  private makeCompact(shape: Representation["shape"]): JsonForm {
    switch (shape.as) {
      case "object":
        return jsonForm(this.shown);
      case "partialMetadata":
        return partialMetadataForm(metaApiVersion(this.schema.vocabulary, shape.version));
      case "table":
        throw notAcceptable(NOT_ACCEPTABLE_TEXT.noTable(metaApiVersion(this.schema.vocabulary, shape.version)));
    }
  }
}

const formsOfRoutes = new WeakMap<Route, RouteForms>();

function formsOf(route: ResourceRoute, schema: Schema): RouteForms {
  let forms = formsOfRoutes.get(route);
  if (forms === undefined) {
    const { definition, bodies, subresource } = route;
    const columns = subresource?.rules.view === undefined ? definition.columns : undefined;
    forms = new RouteForms({ definition, version: bodies, columns }, schema);
    formsOfRoutes.set(route, forms);
  }
  return forms;
}
