// Content negotiation: selects the representation of an answer. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
import { type AcceptClause, NOT_ACCEPTABLE_TEXT, notAcceptable, parseAccept } from "@orch/machinery";
import { otherVocabularyHint, type Schema } from "@orch/schema";
import { CBOR_SEQUENCE_TYPE, CBOR_TYPE } from "./forms/cbor-form";
import { conversionTo, type Format, JSON_AS_IS, type Representation, unconverted } from "./representation";

/** Representations of one kind of answer. Offers are constants: decisions are cached per offer. */
export interface Offer {
  /** In order of preference. */
  readonly formats: readonly Format[];
  /** Whether objects can be converted to tables or to partial metadata. */
  readonly converts: boolean;
  /** Whether the answer is a watch stream, which has no YAML form. */
  readonly stream: boolean;
}

const TEXTS: readonly Format[] = ["json", "yaml"];
const ALL: readonly Format[] = ["json", "yaml", "protobuf"];

export const OFFERS = {
  texts: {
    object: { formats: TEXTS, converts: true, stream: false },
    stream: { formats: TEXTS, converts: true, stream: true },
    /** Answers that are not stored objects: documents, failures, reviews. */
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
  /** Value of the clause's `pretty` parameter. */
  readonly pretty: boolean | undefined;
}

const JSON_DECISION: Decision = { representation: JSON_AS_IS, pretty: undefined };
/** Maximum number of cached headers: clients send few different ones. */
const REMEMBERED_MAX = 1000;

export class Negotiation {
  readonly mediaTypes: Readonly<Record<Format, string>>;
  private readonly decisions = new Map<Offer, Map<string, Decision | undefined>>();

  /**
   * @param schema of the types that are written
   * @param cbor whether CBOR is offered beside the formats of each offer (gate CBORServingAndStorage)
   */
  constructor(
    readonly schema: Schema,
    readonly cbor = false,
  ) {
    const { protobuf } = schema.vocabulary.mediaTypes;
    this.mediaTypes = { json: "application/json", yaml: "application/yaml", protobuf, cbor: CBOR_TYPE };
  }

  private formatsOf({ formats }: Offer): readonly Format[] {
    return this.cbor ? [...formats, "cbor"] : formats;
  }

  /** @returns undefined when no offered representation is acceptable */
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

  /** @throws StatusError NotAcceptable (406) that lists the offered media types */
  require(accept: string | undefined, offer: Offer): Decision {
    const decision = this.find(accept, offer);
    if (decision !== undefined) return decision;
    const types = this.formatsOf(offer)
      .filter((format) => !offer.stream || isStreamed(format))
      .map((format) => (offer.stream ? this.streamTypeOf(format) : this.mediaTypes[format]));
    const hint = parseAccept(accept ?? "")
      .map(({ type }) => otherVocabularyHint(this.schema.vocabulary, type))
      .find((text) => text !== undefined);
    throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes(types), hint);
  }

  private streamTypeOf(format: Format): string {
    return format === "cbor" ? CBOR_SEQUENCE_TYPE : `${this.mediaTypes[format]};stream=watch`;
  }

  /** Decides by the first clause that matches an offer, with the preferred matching format. */
  private decide(accept: string, offer: Offer): Decision | undefined {
    for (const clause of parseAccept(accept)) {
      for (const format of this.formatsOf(offer)) {
        if (!names(clause, this.mediaTypes[format]) && !isSequence(clause, format, offer)) continue;
        const representation = this.representationFor(clause, format, offer);
        if (representation !== undefined) return { representation, pretty: prettyOf(clause) };
      }
    }
    return undefined;
  }

  /**
   * Undefined when a parameter asks for a conversion that does not exist: clients list a plainer type after it. Unknown
   * parameters are ignored.
   */
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

/** A client may also name the type that a watch in CBOR is answered with. */
const isSequence = ({ type }: AcceptClause, format: Format, offer: Offer): boolean =>
  offer.stream && format === "cbor" && type === CBOR_SEQUENCE_TYPE;

const names = ({ type }: AcceptClause, mediaType: string): boolean =>
  type === mediaType || type === "application/*" || type === "*/*";

function prettyOf({ parameters }: AcceptClause): boolean | undefined {
  const pretty = parameters.get("pretty");
  return pretty === undefined ? undefined : pretty !== "0" && pretty.toLowerCase() !== "false";
}
