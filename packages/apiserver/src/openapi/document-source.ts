// Where the published schema comes from: this server's own routes are one source, a server that answers behind this one is another.
// Whoever joins the documents asks each source for its pieces, and has those made anew whose hash has changed.
import type { OpenapiVersion } from "@orch/schema";
import type { DocumentPart } from "./document-parts";

export interface DocumentSource {
  /**
   * What there is at the moment, each path once. Asked for whenever somebody wants a document: answers at once, from what it knows.
   * Where two sources have the same path, the one that was named first is shown.
   */
  pieces(): readonly DocumentPiece[];
  /** Told of every change to `pieces`. */
  onChange: (() => void) | undefined;
}

/** What a group version adds to the document of version 2, and the whole of its own document in version 3. */
export interface DocumentPiece {
  /** Of its document in version 3, such as `apis/apps/v1`. */
  readonly path: string;
  /** Upper-case hexadecimal digits: another one for other content, the same on every replica that shows the same. */
  readonly hash: string;
  /**
   * Its content, a part a step, each made in a few milliseconds: between two the event loop has its turn. A part that several pieces have,
   * such as the model of metadata, is shown once, as the first of them has it.
   * @throws what is told to those who asked, who may ask again
   */
  parts(version: OpenapiVersion): Iterable<DocumentPart> | AsyncIterable<DocumentPart>;
}
