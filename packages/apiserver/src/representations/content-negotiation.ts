// Which of the representations that a route offers a client can read best. Source: facts, http.md "Content negotiation", table.md.
import { NOT_ACCEPTABLE_TEXT, notAcceptable } from "@orch/machinery";
import { otherVocabularyHint, type Schema } from "@orch/schema";
import { type AcceptClause, parseAccept } from "./accept-header";
import { conversionTo, type Format, JSON_AS_IS, type Representation, unconverted } from "./representation";

/** What a kind of answer can be made into. A constant: decisions are remembered for each. */
export interface Offer {
  /** The preferred first. */
  readonly formats: readonly Format[];
  /** Whether objects are shown as tables, or by their metadata alone. */
  readonly converts: boolean;
  /** A watch: YAML has no form of its own for a stream. */
  readonly stream: boolean;
}

const TEXTS: readonly Format[] = ["json", "yaml"];
const ALL: readonly Format[] = ["json", "yaml", "protobuf"];

export const OFFERS = {
  texts: {
    object: { formats: TEXTS, converts: true, stream: false },
    stream: { formats: TEXTS, converts: true, stream: true },
    /** What is no object of a stored resource: documents, failures, answers to questions. */
    document: { formats: TEXTS, converts: false, stream: false },
  },
  withProtobuf: {
    object: { formats: ALL, converts: true, stream: false },
    stream: { formats: ALL, converts: true, stream: true },
    document: { formats: ALL, converts: false, stream: false },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Offer>>>>;

export interface Decision {
  readonly representation: Representation;
  /** Said in the clause itself. */
  readonly pretty: boolean | undefined;
}

const JSON_DECISION: Decision = { representation: JSON_AS_IS, pretty: undefined };
/** Clients send few different headers, many times. */
const REMEMBERED_MAX = 1000;

export class Negotiation {
  readonly mediaTypes: Readonly<Record<Format, string>>;
  private readonly decisions = new Map<Offer, Map<string, Decision | undefined>>();

  /** @param schema what is written is of its types */
  constructor(readonly schema: Schema) {
    const { protobuf } = schema.vocabulary.mediaTypes;
    this.mediaTypes = { json: "application/json", yaml: "application/yaml", protobuf };
  }

  /** @returns undefined when the client reads nothing that is offered */
  find(accept: string | undefined, offer: Offer): Decision | undefined {
    if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json")
      return JSON_DECISION;
    let known = this.decisions.get(offer);
    if (known === undefined) {
      known = new Map();
      this.decisions.set(offer, known);
    }
    const remembered = known.get(accept);
    if (remembered !== undefined || known.has(accept)) return remembered;
    const decision = this.decide(accept, offer);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(accept, decision);
    return decision;
  }

  /** @throws StatusError NotAcceptable (406) that lists what is offered */
  require(accept: string | undefined, offer: Offer): Decision {
    const decision = this.find(accept, offer);
    if (decision !== undefined) return decision;
    const types = offer.formats
      .filter((format) => !offer.stream || isStreamed(format))
      .map((format) => `${this.mediaTypes[format]}${offer.stream ? ";stream=watch" : ""}`);
    const hint = parseAccept(accept ?? "")
      .map(({ type }) => otherVocabularyHint(this.schema.vocabulary, type))
      .find((text) => text !== undefined);
    throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes(types), hint);
  }

  /** The first clause that something fits decides, by the preferred format that fits it. */
  private decide(accept: string, offer: Offer): Decision | undefined {
    for (const clause of parseAccept(accept)) {
      for (const format of offer.formats) {
        if (!names(clause, this.mediaTypes[format])) continue;
        const representation = this.representationFor(clause, format, offer);
        if (representation !== undefined) return { representation, pretty: prettyOf(clause) };
      }
    }
    return undefined;
  }

  /** Undefined where a parameter asks for what there is not: clients name a plainer type after it. Unknown ones say nothing. */
  private representationFor({ parameters }: AcceptClause, format: Format, offer: Offer): Representation | undefined {
    if (offer.stream && !isStreamed(format)) return undefined;
    const stream = parameters.get("stream") ?? "";
    if (stream !== "" && (stream !== "watch" || !isStreamed(format))) return undefined;
    const serverVersion = parameters.get("sv") ?? "";
    if (serverVersion !== "" && serverVersion !== "v1") return undefined;
    const as = parameters.get("as") ?? "";
    if (as === "") return unconverted(format);
    if (!offer.converts || parameters.get("g") !== this.schema.vocabulary.groups.meta) return undefined;
    return conversionTo(format, as, parameters.get("v") ?? "");
  }
}

const isStreamed = (format: Format): boolean => format !== "yaml";

const names = ({ type }: AcceptClause, mediaType: string): boolean =>
  type === mediaType || type === "application/*" || type === "*/*";

function prettyOf({ parameters }: AcceptClause): boolean | undefined {
  const pretty = parameters.get("pretty");
  return pretty === undefined ? undefined : pretty !== "0" && pretty.toLowerCase() !== "false";
}
