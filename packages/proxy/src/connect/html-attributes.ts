// Finds attributes in a streamed HTML page whose pieces may end anywhere, and changes their values; all other
// characters pass unchanged. The state holds only the few characters that matter, so that tags, comments and scripts
// may have any length. Source: HTML standard, "Tokenization".

export interface AttributeEditor {
  /** Names of an element's attributes to change, all in lower case. */
  wanted(element: string): ReadonlySet<string> | undefined;
  /** @param value raw value without quotes */
  changed(value: string): string;
}

/** Elements whose content is not parsed for tags. */
const WITHOUT_TAGS: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);

/** Maximum length of a name that is compared. */
const NAME_MAX = 32;
/** Maximum length of a value that is changed. */
const VALUE_MAX = 16 * 1024;

type State =
  | "text"
  | "tagOpen"
  | "endTagOpen"
  | "markup"
  | "comment"
  | "bogusComment"
  | "tagName"
  | "beforeName"
  | "name"
  | "afterName"
  | "beforeValue"
  | "value"
  | "contents"
  | "contentsEnd";

export class HtmlAttributes {
  private readonly editor: AttributeEditor;
  private state: State = "text";
  /** Name being read, and the name of its element. */
  private name = "";
  private element = "";
  private isEndTag = false;
  private wanted: ReadonlySet<string> | undefined;
  /** Quote that ends the value; "" for an unquoted one. */
  private quote = "";
  /** Part of a wanted value that was read; undefined when the value passes unchanged. */
  private value: string | undefined;
  /** The last characters of a comment, or the possible start of an element's end tag. */
  private tail = "";
  private out = "";

  constructor(editor: AttributeEditor) {
    this.editor = editor;
  }

  /** @returns output that is final */
  pass(piece: string): string {
    for (let at = 0; at < piece.length; ) at = this.step(piece, at);
    return this.taken();
  }

  /** @returns the rest of a value that never ended */
  end(): string {
    this.out += this.value ?? "";
    this.value = undefined;
    return this.taken();
  }

  private taken(): string {
    const out = this.out;
    this.out = "";
    return out;
  }

  /** @returns next offset; when it is the same, the state has changed */
  private step(piece: string, at: number): number {
    switch (this.state) {
      case "text":
        return this.throughFirst("<", "tagOpen", piece, at);
      case "tagOpen":
        return this.tagOpen(piece, at);
      case "endTagOpen":
        return this.endTagOpen(piece, at);
      case "markup":
        return this.markup(piece, at);
      case "comment":
        return this.comment(piece, at);
      case "bogusComment":
        return this.throughFirst(">", "text", piece, at);
      case "tagName":
        return this.tagName(piece, at);
      case "beforeName":
        return this.beforeName(piece, at);
      case "name":
        return this.attributeName(piece, at);
      case "afterName":
        return this.afterName(piece, at);
      case "beforeValue":
        return this.beforeValue(piece, at);
      case "value":
        return this.attributeValue(piece, at);
      case "contents":
        return this.throughFirst("<", "contentsEnd", piece, at);
      case "contentsEnd":
        return this.contentsEnd(piece, at);
    }
  }

  /** Passes characters on through the first occurrence of a mark. */
  private throughFirst(mark: string, next: State, piece: string, at: number): number {
    const found = piece.indexOf(mark, at);
    const end = found < 0 ? piece.length : found + 1;
    this.out += piece.slice(at, end);
    if (found >= 0) this.state = next;
    this.tail = "";
    return end;
  }

  private passOn(character: string, next: State): void {
    this.out += character;
    this.state = next;
  }

  private tagOpen(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isLetter(character)) this.beginTag(false);
    else if (character === "/") this.passOn(character, "endTagOpen");
    else if (character === "!") this.passOn(character, "markup");
    else this.state = character === "?" ? "bogusComment" : "text";
    return character === "/" || character === "!" ? at + 1 : at;
  }

  private endTagOpen(piece: string, at: number): number {
    if (isLetter(piece[at] as string)) this.beginTag(true);
    else this.state = "bogusComment";
    return at;
  }

  private beginTag(isEndTag: boolean): void {
    this.isEndTag = isEndTag;
    this.name = "";
    this.state = "tagName";
  }

  /** Two dashes begin a comment; all other markup ends with the next `>`. */
  private markup(piece: string, at: number): number {
    if (piece[at] !== "-") {
      this.state = "bogusComment";
      return at;
    }
    this.tail += "-";
    this.passOn("-", this.tail === "--" ? "comment" : "markup");
    return at + 1;
  }

  private comment(piece: string, at: number): number {
    const found = piece.indexOf(">", at);
    const end = found < 0 ? piece.length : found + 1;
    const part = piece.slice(at, end);
    this.out += part;
    this.tail = (this.tail + part.slice(-COMMENT_END_MAX)).slice(-COMMENT_END_MAX);
    if (this.tail.endsWith("-->") || this.tail.endsWith("--!>")) this.state = "text";
    return end;
  }

  private tagName(piece: string, at: number): number {
    const end = this.readName(piece, at, isEndOfTagName);
    if (end === piece.length) return end;
    this.element = this.name;
    this.wanted = this.isEndTag ? undefined : this.editor.wanted(this.element);
    this.state = "beforeName";
    return end;
  }

  private beforeName(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character) || character === "/") this.passOn(character, "beforeName");
    else if (character === ">") this.endTag();
    else {
      // A `=` begins a name here.
      this.name = character.toLowerCase();
      this.passOn(character, "name");
    }
    return at + 1;
  }

  private attributeName(piece: string, at: number): number {
    const end = this.readName(piece, at, isEndOfName);
    if (end < piece.length) this.state = "afterName";
    return end;
  }

  private afterName(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character)) this.passOn(character, "afterName");
    else if (character === "=") this.passOn(character, "beforeValue");
    else {
      this.state = "beforeName";
      return at;
    }
    return at + 1;
  }

  private beforeValue(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character)) {
      this.passOn(character, "beforeValue");
      return at + 1;
    }
    if (character === ">") {
      this.endTag();
      return at + 1;
    }
    const isQuote = character === '"' || character === "'";
    this.quote = isQuote ? character : "";
    this.value = this.wanted?.has(this.name) ? "" : undefined;
    this.passOn(this.quote, "value");
    return isQuote ? at + 1 : at;
  }

  private attributeValue(piece: string, at: number): number {
    const end = this.quote === "" ? endOfPlainValue(piece, at) : indexOrEnd(piece, this.quote, at);
    const part = piece.slice(at, end);
    if (this.value === undefined) this.out += part;
    else this.value += part;
    if (this.value !== undefined && this.value.length > VALUE_MAX) {
      this.out += this.value;
      this.value = undefined;
    }
    if (end === piece.length) return end;
    if (this.value !== undefined) this.out += this.editor.changed(this.value);
    this.value = undefined;
    this.passOn(this.quote, "beforeName");
    return end + this.quote.length;
  }

  /** Called at the `>`. */
  private endTag(): void {
    const hasContents = !this.isEndTag && WITHOUT_TAGS.has(this.element);
    this.passOn(">", hasContents ? "contents" : "text");
  }

  /** After a `<` in content: checks for `/`, the element's name and its end. */
  private contentsEnd(piece: string, at: number): number {
    const character = (piece[at] as string).toLowerCase();
    const wanted = `/${this.element}`;
    if (this.tail.length === wanted.length) {
      if (isEndOfTagName(character)) {
        this.isEndTag = true;
        this.wanted = undefined;
        this.state = "beforeName";
      } else this.state = "contents";
      return at;
    }
    if (wanted[this.tail.length] !== character) {
      this.state = "contents";
      return at;
    }
    this.tail += character;
    this.passOn(piece[at] as string, "contentsEnd");
    return at + 1;
  }

  private readName(piece: string, at: number, isEnd: (character: string) => boolean): number {
    let end = at;
    while (end < piece.length && !isEnd(piece[end] as string)) end += 1;
    const part = piece.slice(at, end);
    this.out += part;
    this.name += part.slice(0, NAME_MAX + 1 - this.name.length).toLowerCase();
    return end;
  }
}

const COMMENT_END_MAX = "--!>".length;

const isSpace = (character: string): boolean => " \t\n\f\r".includes(character);
const isLetter = (character: string): boolean => /^[a-z]$/i.test(character);
const isEndOfTagName = (character: string): boolean => isSpace(character) || character === "/" || character === ">";
const isEndOfName = (character: string): boolean => isEndOfTagName(character) || character === "=";

const indexOrEnd = (text: string, mark: string, from: number): number => {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
};

function endOfPlainValue(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isSpace(text[end] as string) && text[end] !== ">") end += 1;
  return end;
}
