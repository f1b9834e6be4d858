// Where the published schema comes from: this server's own routes are one source, a server that answers behind this one is another.
// Whoever joins the documents asks each source for its pieces, and has those made anew that have changed.
import type { OpenapiVersion } from "@orch/schema";
import type { DocumentPart } from "./document-parts";

export interface DocumentSource {
  /**
   * What there is at the moment: in version 3 a piece for each document, in version 2 for each part of the one document. Asked for
   * whenever somebody wants a document: answers at once, from what it knows, with the same piece for as long as its content is the same.
   * Where two sources have the same path, the one that was named first is shown.
   */
  pieces(version: OpenapiVersion): readonly DocumentPiece[];
  /** Told of every change to `pieces`. */
  onChange: (() => void) | undefined;
}

/** What a group version adds to the document of version 2, and the whole of its own document in version 3. */
export interface DocumentPiece {
  /** Of its document in version 3, such as `apis/apps/v1`. */
  readonly path: string;
  /**
   * Upper-case hexadecimal digits: another one for other content, the same on every replica that shows the same. Absent: it is worked out
   * of the content, which is made for that before anybody asks for it.
   */
  readonly hash?: string;
  /**
   * Its content, a part a step, each made in a few milliseconds: between two the event loop has its turn. A large part takes several
   * steps, all but the last of which give undefined.
   * @param isThere whether a model is in the document already, and need not be given; what is given twice is shown once
   * @throws what is logged: the piece is left out of documents of several, and made again with the next one
   */
  parts(
    version: OpenapiVersion,
    isThere?: (model: string) => boolean,
  ): Iterable<DocumentPart | undefined> | AsyncIterable<DocumentPart | undefined>;
}
