// Rewrites links in proxied pages so that they lead through the proxy. The page is streamed; everything else is
// unchanged. Source: HTML standard, "Attributes"; staging/src/k8s.io/apimachinery/pkg/util/proxy/transport.go.
import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { createDeflate, createGunzip, createGzip, createInflate } from "node:zlib";
import { HtmlAttributes } from "./html-attributes";
import { type ProxyPlace, proxiedLink } from "./proxied-links";

/** Attributes that hold addresses, by element. */
const ADDRESSES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["formaction", "src", "usemap"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    track: ["src"],
    video: ["poster", "src"],
  }).map(([element, attributes]) => [element, new Set(attributes)]),
);

/** Returns the transforms for a body; undefined for one that is passed on unchanged. */
export function linkRewriting(answer: IncomingMessage, place: ProxyPlace): readonly Transform[] | undefined {
  const type = answer.headers["content-type"] ?? "";
  if (!/^text\/html\s*(?:;|$)/i.test(type)) return undefined;
  switch ((answer.headers["content-encoding"] ?? "").toLowerCase()) {
    case "":
    case "identity":
      return [new LinkRewriter(place)];
    case "gzip":
      return [createGunzip(), new LinkRewriter(place), createGzip()];
    case "deflate":
      return [createInflate(), new LinkRewriter(place), createDeflate()];
    default:
      return undefined;
  }
}

/** Reads each byte as one character: tags are the same in every supported encoding, and all bytes are preserved. */
export class LinkRewriter extends Transform {
  private readonly attributes: HtmlAttributes;

  constructor(place: ProxyPlace) {
    super();
    this.attributes = new HtmlAttributes({
      wanted: (element) => ADDRESSES.get(element),
      changed: (link) => proxiedLink(link, place),
    });
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, Buffer.from(this.attributes.pass(piece.toString("latin1")), "latin1"));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.attributes.end(), "latin1"));
  }
}
