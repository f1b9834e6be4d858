// Links in proxied pages, made to lead through the proxy: tag by tag as the page comes in, everything else untouched.
// Source: facts, apiserver-hooks.md "Plain proxying", response; the HTML standard, "Attributes" (those that hold addresses).
import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { createDeflate, createGunzip, createGzip, createInflate } from "node:zlib";
import { type ProxyPlace, proxiedLink } from "./proxied-links";

/** By element. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
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
};

/** Elements whose contents hold no tags, whatever they look like. */
const WITHOUT_TAGS = new Set(["script", "style", "textarea", "title"]);

/** A tag that is longer is left as it is. */
const TAG_MAX_CHARACTERS = 64 * 1024;

/** What the body of an answer goes through; undefined for one that is left as it is. */
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

/** Reads bytes as if each were a character: tags are the same in every encoding that pages come in, and all bytes survive. */
export class LinkRewriter extends Transform {
  private pending = "";
  /** Inside such an element nothing is a tag but its own end. */
  private inside: string | undefined;

  constructor(private readonly place: ProxyPlace) {
    super();
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.pending += piece.toString("latin1");
    done(null, Buffer.from(this.rewrite(), "latin1"));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.pending, "latin1"));
  }

  /** As much of what is pending as can be told already. */
  private rewrite(): string {
    let out = "";
    for (;;) {
      const begin = this.pending.indexOf("<");
      if (begin < 0) return out + this.cut(this.pending.length);
      out += this.cut(begin);
      const length = tagLength(this.pending);
      if (length === 0) {
        if (this.pending.length <= TAG_MAX_CHARACTERS) return out;
        out += this.cut(1);
      } else {
        out += this.tag(this.cut(length));
      }
    }
  }

  private cut(length: number): string {
    const taken = this.pending.slice(0, length);
    this.pending = this.pending.slice(length);
    return taken;
  }

  private tag(text: string): string {
    const [, end = "", word = ""] = /^<(\/?)([a-z][^\s/>]*)/i.exec(text) ?? [];
    const element = word.toLowerCase();
    if (this.inside !== undefined) {
      if (end !== "" && element === this.inside) this.inside = undefined;
      return text;
    }
    if (end !== "") return text;
    if (WITHOUT_TAGS.has(element)) this.inside = element;
    const attributes = ADDRESSES[element];
    if (attributes === undefined) return text;
    return text.replace(ATTRIBUTE, (whole, before: string, name: string, value: string) =>
      attributes.includes(name.toLowerCase()) ? before + this.link(value) : whole,
    );
  }

  private link(value: string): string {
    const quote = /^["']/.exec(value)?.[0] ?? "";
    const bare = quote === "" ? value : value.slice(1, -1);
    return quote + proxiedLink(bare, this.place) + quote;
  }
}

/** What stands before the value, the name in it, and the value with its quotes. */
const ATTRIBUTE = /([\s"'/]([^\s"'<>/=]+)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/** Of the tag or comment that the text begins with; 1 for a `<` that begins none, 0 while its end has not come in. */
function tagLength(text: string): number {
  if (text.startsWith("<!--")) {
    const end = text.indexOf("-->", 4);
    return end < 0 ? 0 : end + 3;
  }
  if (text.length === 1) return 0;
  if (!/^<[/!?a-z]/i.test(text)) return 1;
  const whole = TAG.exec(text);
  return whole === null ? 0 : whole[0].length;
}

/** A `>` within quotes ends nothing. */
const TAG = /^<(?:[^"'>]|"[^"]*"|'[^']*')*>/;
