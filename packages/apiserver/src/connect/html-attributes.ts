// Finds attributes in a page as it comes in, in pieces that may end anywhere, and lets their values be changed; every other character is
// passed as it is. What has been seen of a page is kept as a state and the few characters that matter for it: a tag, a comment or a script
// may be as long as it likes. Source: the HTML standard, "Tokenization".

export interface AttributeEditor {
  /** Names of the attributes of an element that are of interest. Everything is in lower case. */
  wanted(element: string): ReadonlySet<string> | undefined;
  /** @param value without its quotes, as the page has it */
  changed(value: string): string;
}

/** Elements whose contents hold no tags, whatever they look like. */
const WITHOUT_TAGS: ReadonlySet<string> = new Set(["script", "style", "textarea", "title"]);

/** Longer names are none of those that matter. */
const NAME_MAX = 32;
/** A longer value is left as it is. */
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
  readonly #editor: AttributeEditor;
  #state: State = "text";
  /** The name that is being read, and its element's. */
  #name = "";
  #element = "";
  #isEndTag = false;
  #wanted: ReadonlySet<string> | undefined;
  /** The quote that the value ends with; "" for one without. */
  #quote = "";
  /** What has come of a value that is wanted; undefined where it goes by as it is. */
  #value: string | undefined;
  /** Of a comment, the last characters; of contents, what may be the start of their end. */
  #tail = "";
  #out = "";

  constructor(editor: AttributeEditor) {
    this.#editor = editor;
  }

  /** @returns what is sure so far */
  pass(piece: string): string {
    for (let at = 0; at < piece.length; ) at = this.#step(piece, at);
    return this.#taken();
  }

  /** @returns what was held back for a value that never ended */
  end(): string {
    this.#out += this.#value ?? "";
    this.#value = undefined;
    return this.#taken();
  }

  #taken(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** @returns where to go on; at least the state has changed */
  #step(piece: string, at: number): number {
    switch (this.#state) {
      case "text":
        return this.#throughFirst("<", "tagOpen", piece, at);
      case "tagOpen":
        return this.#tagOpen(piece, at);
      case "endTagOpen":
        return this.#endTagOpen(piece, at);
      case "markup":
        return this.#markup(piece, at);
      case "comment":
        return this.#comment(piece, at);
      case "bogusComment":
        return this.#throughFirst(">", "text", piece, at);
      case "tagName":
        return this.#tagName(piece, at);
      case "beforeName":
        return this.#beforeName(piece, at);
      case "name":
        return this.#attributeName(piece, at);
      case "afterName":
        return this.#afterName(piece, at);
      case "beforeValue":
        return this.#beforeValue(piece, at);
      case "value":
        return this.#attributeValue(piece, at);
      case "contents":
        return this.#throughFirst("<", "contentsEnd", piece, at);
      case "contentsEnd":
        return this.#contentsEnd(piece, at);
    }
  }

  /** Passes on up to and with the first of a mark. */
  #throughFirst(mark: string, next: State, piece: string, at: number): number {
    const found = piece.indexOf(mark, at);
    const end = found < 0 ? piece.length : found + 1;
    this.#out += piece.slice(at, end);
    if (found >= 0) this.#state = next;
    this.#tail = "";
    return end;
  }

  #pass(character: string, next: State): void {
    this.#out += character;
    this.#state = next;
  }

  #tagOpen(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isLetter(character)) this.#beginTag(false);
    else if (character === "/") this.#pass(character, "endTagOpen");
    else if (character === "!") this.#pass(character, "markup");
    else this.#state = character === "?" ? "bogusComment" : "text";
    return character === "/" || character === "!" ? at + 1 : at;
  }

  #endTagOpen(piece: string, at: number): number {
    if (isLetter(piece[at] as string)) this.#beginTag(true);
    else this.#state = "bogusComment";
    return at;
  }

  #beginTag(isEndTag: boolean): void {
    this.#isEndTag = isEndTag;
    this.#name = "";
    this.#state = "tagName";
  }

  /** Two dashes make a comment; all else ends with the next `>`. */
  #markup(piece: string, at: number): number {
    if (piece[at] !== "-") {
      this.#state = "bogusComment";
      return at;
    }
    this.#tail += "-";
    this.#pass("-", this.#tail === "--" ? "comment" : "markup");
    return at + 1;
  }

  #comment(piece: string, at: number): number {
    const found = piece.indexOf(">", at);
    const end = found < 0 ? piece.length : found + 1;
    const part = piece.slice(at, end);
    this.#out += part;
    this.#tail = (this.#tail + part.slice(-COMMENT_END_MAX)).slice(-COMMENT_END_MAX);
    if (this.#tail.endsWith("-->") || this.#tail.endsWith("--!>")) this.#state = "text";
    return end;
  }

  #tagName(piece: string, at: number): number {
    const end = this.#readName(piece, at, isEndOfTagName);
    if (end === piece.length) return end;
    this.#element = this.#name;
    this.#wanted = this.#isEndTag ? undefined : this.#editor.wanted(this.#element);
    this.#state = "beforeName";
    return end;
  }

  #beforeName(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character) || character === "/") this.#pass(character, "beforeName");
    else if (character === ">") this.#endTag();
    else {
      // Even a `=` begins a name here.
      this.#name = character.toLowerCase();
      this.#pass(character, "name");
    }
    return at + 1;
  }

  #attributeName(piece: string, at: number): number {
    const end = this.#readName(piece, at, isEndOfName);
    if (end < piece.length) this.#state = "afterName";
    return end;
  }

  #afterName(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character)) this.#pass(character, "afterName");
    else if (character === "=") this.#pass(character, "beforeValue");
    else {
      this.#state = "beforeName";
      return at;
    }
    return at + 1;
  }

  #beforeValue(piece: string, at: number): number {
    const character = piece[at] as string;
    if (isSpace(character)) {
      this.#pass(character, "beforeValue");
      return at + 1;
    }
    if (character === ">") {
      this.#endTag();
      return at + 1;
    }
    const isQuote = character === '"' || character === "'";
    this.#quote = isQuote ? character : "";
    this.#value = this.#wanted?.has(this.#name) ? "" : undefined;
    this.#pass(this.#quote, "value");
    return isQuote ? at + 1 : at;
  }

  #attributeValue(piece: string, at: number): number {
    const end = this.#quote === "" ? endOfPlainValue(piece, at) : indexOrEnd(piece, this.#quote, at);
    const part = piece.slice(at, end);
    if (this.#value === undefined) this.#out += part;
    else this.#value += part;
    if (this.#value !== undefined && this.#value.length > VALUE_MAX) {
      this.#out += this.#value;
      this.#value = undefined;
    }
    if (end === piece.length) return end;
    if (this.#value !== undefined) this.#out += this.#editor.changed(this.#value);
    this.#value = undefined;
    this.#pass(this.#quote, "beforeName");
    return end + this.#quote.length;
  }

  /** At the `>`. */
  #endTag(): void {
    const hasContents = !this.#isEndTag && WITHOUT_TAGS.has(this.#element);
    this.#pass(">", hasContents ? "contents" : "text");
  }

  /** Behind a `<` in contents: whether `/` and the element's name follow, and the name ends there. */
  #contentsEnd(piece: string, at: number): number {
    const character = (piece[at] as string).toLowerCase();
    const wanted = `/${this.#element}`;
    if (this.#tail.length === wanted.length) {
      if (isEndOfTagName(character)) {
        this.#isEndTag = true;
        this.#wanted = undefined;
        this.#state = "beforeName";
      } else this.#state = "contents";
      return at;
    }
    if (wanted[this.#tail.length] !== character) {
      this.#state = "contents";
      return at;
    }
    this.#tail += character;
    this.#pass(piece[at] as string, "contentsEnd");
    return at + 1;
  }

  #readName(piece: string, at: number, isEnd: (character: string) => boolean): number {
    let end = at;
    while (end < piece.length && !isEnd(piece[end] as string)) end += 1;
    const part = piece.slice(at, end);
    this.#out += part;
    this.#name += part.slice(0, NAME_MAX + 1 - this.#name.length).toLowerCase();
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
