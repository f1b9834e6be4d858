// Sources of the published schema: the routes of this server are one source, each aggregated API server is another. The
// joined document asks each source for its pieces, and renews the pieces that have changed.
import type { OpenapiVersion } from "@orch/schema";
import type { DocumentPart } from "./document-parts";

export interface DocumentSource {
  /**
   * Returns the present pieces: for OpenAPI 3.0 one per document, for 2.0 one per part of the single document. Called
   * for each request of a document: returns without waiting, with the same object as long as the content is the same.
   * When two sources have the same path, the source that comes first wins.
   */
  pieces(version: OpenapiVersion): readonly DocumentPiece[];
  /** Called after every change of `pieces`. */
  onChange: (() => void) | undefined;
}

/** The contribution of a group version: part of the 2.0 document, and the whole 3.0 document. */
export interface DocumentPiece {
  /** Path of the 3.0 document, such as `apis/apps/v1`. */
  readonly path: string;
  /**
   * Upper-case hexadecimal digits that identify the content, the same on every replica with the same content. Absent:
   * computed from the content, which is then made before a client requests it.
   */
  readonly hash?: string;
  /**
   * Yields the content, one part per step of a few milliseconds, so that the event loop can turn between steps. A large
   * part takes several steps, of which all but the last yield undefined.
   * @param isThere whether a model is in the document already and can be omitted; duplicates are removed
   * @throws an error, which is logged: the piece is left out of joined documents and made again for the next one
   */
  parts(
    version: OpenapiVersion,
    isThere?: (model: string) => boolean,
  ): Iterable<DocumentPart | undefined> | AsyncIterable<DocumentPart | undefined>;
}
