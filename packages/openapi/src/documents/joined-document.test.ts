import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Content } from "@orch/http-server";
import { type DocumentForm, JsonForm, ProtobufForm } from "./document-form";
import type { DocumentPiece } from "./document-source";
import { JoinedDocument } from "./joined-document";
import { Slices } from "./slices";

const info = { title: "An API", version: "v1" };
const slices = new Slices(new AbortController().signal);

/** Descriptions of the pieces that were made. */
let made: string[];
beforeEach(() => {
  made = [];
});

/** A piece with two parts of its own, and one that each piece has. */
const piece = (path: string, description = path): DocumentPiece => ({
  path,
  hash: description,
  *parts() {
    made.push(description);
    yield { section: "paths", name: `/${path}/`, value: { get: { description } } };
    yield { section: "models", name: `Model.${path}`, value: { type: "object", description } };
    yield { section: "models", name: "Shared", value: { type: "object", description } };
  },
});

const documentOf = (form: DocumentForm) =>
  new JoinedDocument({
    version: "v2",
    form,
    slices,
    failed: (_, error) => {
      throw error;
    },
  });
const [first, a, b, c] = [piece("first"), piece("a"), piece("b"), piece("c")];
const text = async (content: Promise<Content>) => (await (await content).plain()).toString("latin1");

describe.each([new JsonForm("v2", info), new ProtobufForm("v2", info)])("a packed document in $name", (form) => {
  /** The same document, joined by somebody who has packed nothing. */
  const anew = (pieces: readonly DocumentPiece[]) => text(documentOf(form).join(pieces));

  test("is joined again of what it has and of what has changed", async () => {
    const document = documentOf(form);
    const before = await document.join([first, a, b, c]);
    await document.pack();
    expect(await text(Promise.resolve(before))).toBe(await anew([first, a, b, c]));
    made = [];
    const changed = [first, a, piece("b", "something else, which is longer")];
    const after = await text(document.join(changed));
    expect(made).toEqual(["something else, which is longer"]);
    expect(after).toBe(await anew(changed));
    // Packed several times, and without the piece whose shared part is in the document.
    await document.pack();
    await document.pack();
    expect(await text(document.join([a, c, first]))).toBe(await anew([a, c, first]));
  });

  test("is right when it is packed while it is joined", async () => {
    const document = documentOf(form);
    await document.join([first, a, b]);
    const [joined] = await Promise.all([text(document.join([first, b, c])), document.pack()]);
    expect(joined).toBe(await anew([first, b, c]));
    await document.pack();
    expect(await text(document.join([first, c, a]))).toBe(await anew([first, c, a]));
  });

  test("keeps only its first piece when it is forgotten", async () => {
    const document = documentOf(form);
    await document.join([first, a, b]);
    await document.pack();
    await document.forget();
    made = [];
    expect(await text(document.join([first, a, b]))).toBe(await anew([first, a, b]));
    expect(made.slice(0, 2)).toEqual(["a", "b"]);
  });
});
