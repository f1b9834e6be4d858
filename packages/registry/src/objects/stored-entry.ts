// One object at one revision, as bytes. It is parsed only when its content is asked for, and served from bytes built
// once.

import {
  absentText,
  requestEntityTooLarge,
  type SelectableField,
  type ServedVersion,
  sameJson,
  selectableText,
  TOO_LARGE_TEXT,
  textOfField,
} from "@orch/machinery";
import {
  countValues,
  FEW_VALUES_BYTES,
  isLargeJson,
  type JsonObject,
  readJson,
  VALUES_READ_WHOLE,
  writeJson,
} from "@orch/schema";
import type { HeldBytes, KeyValue, ValueCodec } from "@orch/store";
import type { Entry } from "../contract/operations";
import { metadataBytes, metadataItems, metadataMember, scalarAt } from "./member-scan";
import { NeedsConversion } from "./needs-conversion";
import { headOf, type ResourceForm, renewedStored, sameShape, versionText } from "./resource-form";
import type { StoredItem } from "./stored-item";

const BRACE = Buffer.from("{");
const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

/** Number of bytes that are scanned in the time of one look at a known value. */
const BYTES_OF_A_LOOK = 4096;

/** Number of bytes compared at once. */
const BLOCK_BYTES = 256;

/** Compares the sums of the differing parts. @param other of the same length, and not equal */
function haveSameSum(one: Buffer, other: Buffer): boolean {
  const { length } = other;
  let first = 0;
  while (first + BLOCK_BYTES <= length && sameBlock(one, other, first)) first += BLOCK_BYTES;
  while (one[first] === other[first]) first += 1;
  let end = length;
  while (end >= first + BLOCK_BYTES && sameBlock(one, other, end - BLOCK_BYTES)) end -= BLOCK_BYTES;
  while (one[end - 1] === other[end - 1]) end -= 1;
  let sum = 0;
  for (let index = first; index < end; index += 1) sum += (one[index] as number) - (other[index] as number);
  return sum === 0;
}

const sameBlock = (one: Buffer, other: Buffer, at: number): boolean =>
  one.compare(other, at, at + BLOCK_BYTES, at, at + BLOCK_BYTES) === 0;

/**
 * Whether entries are large, for long entries and for those that are large in another version. Few entries are long, so
 * a map replaces a member in every entry.
 */
const large = new WeakMap<StoredEntry, boolean>();

export class StoredEntry implements Entry {
  /**
   * The stored bytes; once served, with the resource version in them. Either form can be derived from the other, so
   * only one is kept.
   */
  protected bytes: Buffer;
  protected served = false;
  /** The store item that holds the same bytes in this process, until it holds the served bytes. */
  private holder: KeyValue | undefined;
  /**
   * The first derived value: JSON of a version other than the storage version, or another form, under the key of its
   * maker.
   */
  private madeKey: object | undefined;
  private firstMade: unknown;
  /** Further derived values. Most entries have one form only and need no map. */
  private madeFurther: Map<object, unknown> | undefined;
  private parsedLabels: Readonly<Record<string, string>> | undefined;
  /** Values of the selectable fields that have been read, in the order of the form's labels. */
  private fields: (string | undefined)[] | undefined;

  /**
   * @param path `[<namespace>/]<name>`
   * @param resourceVersion 0 for an object that is not stored (dry run): it shows none
   * @param stored see resource-form.ts; kept and never changed
   */
  constructor(
    readonly form: ResourceForm,
    readonly path: string,
    readonly resourceVersion: number,
    stored: Buffer,
  ) {
    this.bytes = stored;
  }

  /**
   * Builds an entry over served bytes that the store holds, too. @returns undefined when the bytes are not in the
   * served form
   */
  static held(
    form: ResourceForm,
    { path, modRevision }: StoredItem,
    { whole, at, length }: HeldBytes,
  ): StoredEntry | undefined {
    const entry = new StoredEntry(form, path, modRevision, whole);
    if (at !== form.metadataAt || entry.versionText().length !== length) return undefined;
    entry.served = true;
    return entry;
  }

  get namespace(): string {
    const slash = this.form.definition.scope === "Namespaced" ? this.path.indexOf("/") : -1;
    return slash < 0 ? "" : this.path.slice(0, slash);
  }

  get name(): string {
    return this.form.definition.scope === "Namespaced" ? this.path.slice(this.path.indexOf("/") + 1) : this.path;
  }

  /** Approximate number of bytes held, as if the entry had been served. */
  get weight(): number {
    return this.served ? this.bytes.length : this.bytes.length + VERSION_BYTES;
  }

  /**
   * Cost of a look at the labels or fields in looks: proportional to the size for an entry that has not been
   * read. Otherwise the bytes are not touched, which would dominate the cost in lists of thousands.
   */
  get looks(): number {
    if (this.parsedLabels !== undefined || this.fields !== undefined) return 1;
    return 1 + Math.floor(this.bytes.length / BYTES_OF_A_LOOK);
  }

  /**
   * Connects the entry with the store's item. @param holder the item of a store in this process; once the entry has
   * served bytes, the item shares them
   */
  heldBy(holder: KeyValue | undefined): void {
    if (holder === undefined) return;
    if (!this.served) this.holder = holder;
    else if (this.equals(holder.value)) this.shareWith(holder, this.versionText());
  }

  private shareWith(holder: KeyValue, versionText: string): void {
    holder.heldIn?.(this.bytes, { at: this.form.metadataAt, length: versionText.length });
  }

  json(version: ServedVersion): Buffer {
    if (version === this.form.stored) return this.wholeJson();
    return this.made(version, () =>
      sameShape(this.form, version)
        ? Buffer.concat([headOf(version), this.wholeJson().subarray(this.form.head.length)])
        : this.converted(version),
    );
  }

  /** Whether the JSON in a version is available without calling a converter. */
  has(version: ServedVersion): boolean {
    return sameShape(this.form, version) || this.known(version) !== undefined;
  }

  /** Keeps the converted object. @param object in the version, as its converter returned it */
  keep(version: ServedVersion, object: JsonObject): void {
    this.keepJson(version, bytesIn(version, object));
  }

  /** Keeps converted JSON. The object counts as large from now on if it is large in any version. */
  keepJson(version: ServedVersion, json: Buffer): void {
    this.made(version, () => json);
    if (isLargeJson(json)) large.set(this, true);
  }

  known<T>(key: object): T | undefined {
    return (this.madeKey === key ? this.firstMade : this.madeFurther?.get(key)) as T | undefined;
  }

  /** Whether the object is long enough to be large. */
  get isLong(): boolean {
    return this.bytes.length > FEW_VALUES_BYTES;
  }

  get isLarge(): boolean {
    if (!this.isLong) return this.form.byVersion !== undefined && large.get(this) === true;
    let known = large.get(this);
    if (known === undefined) {
      known = isLargeJson(this.bytes);
      large.set(this, known);
    }
    return known;
  }

  /** Whether admission and validation of a change take long. */
  get takesLong(): boolean {
    const { longBytes = Number.POSITIVE_INFINITY } = this.form.definition;
    return this.bytes.length > longBytes || this.isLarge;
  }

  made<T>(key: object, make: (entry: Entry) => T): T {
    const known = this.known<T>(key);
    if (known !== undefined) return known;
    const made = make(this);
    if (this.madeKey === undefined) {
      this.madeKey = key;
      this.firstMade = made;
    } else {
      this.madeFurther ??= new Map();
      this.madeFurther.set(key, made);
    }
    return made;
  }

  item(version: ServedVersion): Buffer {
    const source = this.itemSource(version);
    const at = this.itemStart(version);
    return Buffer.concat([this.itemHead(version), source.subarray(at)]);
  }

  /**
   * The first bytes of a list item. Items of custom kinds carry kind and apiVersion, because they have no built-in
   * type.
   */
  itemHead(version: ServedVersion): Buffer {
    return this.form.definition.isCustom === true ? headOf(version) : BRACE;
  }

  /** The bytes whose part from `itemStart` on, after the head, is the list item. */
  itemSource(version: ServedVersion): Buffer {
    return sameShape(this.form, version) ? this.wholeJson() : this.json(version);
  }

  itemStart(version: ServedVersion): number {
    return sameShape(this.form, version) ? this.form.head.length : headOf(version).length;
  }

  object(): JsonObject {
    return this.form.byVersion === undefined ? this.parsed() : parsed(this.json(this.form.definition.storage));
  }

  /** Parses the object in the version in which it is stored. */
  private parsed(): JsonObject {
    return parsed(this.wholeJson());
  }

  whole(): JsonObject {
    if (this.isLarge && countValues(this.bytes, VALUES_READ_WHOLE) === VALUES_READ_WHOLE) {
      throw requestEntityTooLarge(TOO_LARGE_TEXT.readWhole(this.form.definition.kind, VALUES_READ_WHOLE));
    }
    return this.object();
  }

  owners(): readonly { readonly manager: string; readonly apiVersion: string }[] {
    const items = metadataItems(this.bytes, this.form.metadataAt, "managedFields");
    const text = (item: Buffer, member: string) => String(JSON.parse(scalarAt(item, [member]) || '""'));
    return items.map((item) => ({ manager: text(item, "manager"), apiVersion: text(item, "apiVersion") }));
  }

  inHub(): JsonObject {
    const { toHub } = this.form.definition.storage;
    return toHub === undefined ? this.object() : toHub(this.object());
  }

  metadataJson(): Buffer {
    return metadataBytes(this.wholeJson(), this.form.metadataAt);
  }

  get labels(): Readonly<Record<string, string>> {
    if (this.parsedLabels === undefined) {
      const text = metadataMember(this.bytes, this.form.metadataAt, "labels");
      this.parsedLabels =
        text === undefined ? NO_LABELS : ((JSON.parse(text) as Record<string, string> | null) ?? NO_LABELS);
    }
    return this.parsedLabels;
  }

  field(label: string): string {
    switch (label) {
      case "metadata.name":
        return this.name;
      case "metadata.namespace":
        return this.namespace;
    }
    const at = this.form.fieldLabels.indexOf(label);
    if (at < 0) return "";
    const known = this.fields?.[at];
    if (known !== undefined) return known;
    const text = this.indexedField(label);
    this.fields ??= new Array<string | undefined>(this.form.fieldLabels.length);
    this.fields[at] = text;
    return text;
  }

  /**
   * Returns the value of a selectable field without keeping it in the entry. The index reads an indexed field of every
   * object.
   */
  indexedField(label: string): string {
    const field = this.form.definition.selectableFields[label];
    if (field === undefined) return "";
    return this.scanned(field) ?? selectableText(field, this.parsed());
  }

  /** Returns undefined when the object must be parsed. */
  private scanned(field: SelectableField): string | undefined {
    if (field.through !== undefined) return undefined;
    const absent = absentText(field);
    for (const path of field.paths) {
      const json = scalarAt(this.bytes, path);
      if (json === undefined) return undefined;
      const text = textOfField(field, json === "" ? undefined : readJson(json));
      if (text !== absent) return text;
    }
    return absent;
  }

  metadata(member: string): unknown {
    const text = metadataMember(this.bytes, this.form.metadataAt, member);
    return text === undefined ? undefined : readJson(text);
  }

  /** Returns the content of this entry at another revision, for the event of a deletion. */
  at(resourceVersion: number): StoredEntry {
    return new StoredEntry(this.form, this.path, resourceVersion, this.stored());
  }

  /** Returns the same object under another definition of its resource; see `counterpart`. */
  under(form: ResourceForm): StoredEntry {
    if (form.definition.renew !== undefined) {
      const { path, resourceVersion, isStale } = this;
      return new EarlierEntry({ form, path, resourceVersion, isStale }, this.inStore());
    }
    const entry = new StoredEntry(form, this.path, this.resourceVersion, this.bytes);
    entry.served = this.served;
    return entry;
  }

  /** The bytes in the form in which this server stores them. */
  stored(): Buffer {
    if (!this.served) return this.bytes;
    const at = this.form.metadataAt;
    return Buffer.concat([this.bytes.subarray(0, at), this.bytes.subarray(at + this.versionText().length)]);
  }

  /** The bytes that the store holds. */
  inStore(): Buffer {
    return this.stored();
  }

  /** Returns the entry as an item of the store. */
  inItem(codec: ValueCodec): StoredItem {
    const value = codec.encode(this.inStore());
    const { path, resourceVersion: modRevision, isStale } = this;
    return isStale ? { path, modRevision, value, mark: { kind: "stale" } } : { path, modRevision, value };
  }

  /**
   * Whether the store held the value in an outdated encoding when it was read, such as that of a former encryption key;
   * see `ValueMark`.
   */
  get isStale(): boolean {
    return false;
  }

  /** Whether the stored form is the one that this server would write now. */
  get isCurrent(): boolean {
    return this.form.byVersion === undefined || this.form.stored.apiVersion === this.form.definition.storage.apiVersion;
  }

  /** Whether storing these bytes would change nothing: the content is equal, perhaps with members in another order. */
  sameAs(stored: Buffer): boolean {
    if (this.equals(stored)) return true;
    if (this.storedLength !== stored.length || !this.hasBytesOf(stored)) return false;
    return sameJson(readJson(this.stored().toString()), readJson(stored.toString()));
  }

  /**
   * Whether the two byte sequences, of the same length and not equal, may hold the same content. Texts with the same
   * members in another order have the same byte sum between the first and the last difference; nearly all others do
   * not, so few are parsed.
   */
  private hasBytesOf(stored: Buffer): boolean {
    const at = this.form.metadataAt;
    if (this.bytes.compare(stored, 0, at, 0, at) !== 0) return true;
    const own = this.bytes.subarray(this.served ? at + this.versionText().length : at);
    return haveSameSum(own, stored.subarray(at));
  }

  private get storedLength(): number {
    return this.served ? this.bytes.length - this.versionText().length : this.bytes.length;
  }

  private equals(stored: Buffer): boolean {
    if (!this.served) return this.bytes.equals(stored);
    const at = this.form.metadataAt;
    const shift = this.versionText().length;
    return (
      this.bytes.length === stored.length + shift &&
      this.bytes.compare(stored, 0, at, 0, at) === 0 &&
      this.bytes.compare(stored, at, stored.length, at + shift) === 0
    );
  }

  /** Builds the served bytes in memory from this allocator: many buffers take less memory when they are adjacent. */
  serveIn(memory: (bytes: number) => Buffer): void {
    this.wholeJson(memory);
  }

  // Returns the served bytes, and builds them at first. Not allocated from the shared pool: an entry lives long and
  // would keep the bytes of its pool neighbours from being freed.
  protected wholeJson(memory: (bytes: number) => Buffer = Buffer.allocUnsafeSlow): Buffer {
    if (this.served || this.resourceVersion === 0) return this.bytes;
    const at = this.form.metadataAt;
    const text = this.versionText();
    const whole = memory(this.bytes.length + text.length);
    this.bytes.copy(whole, 0, 0, at);
    whole.write(text, at, "latin1");
    this.bytes.copy(whole, at + text.length, at);
    const { holder, bytes } = this;
    this.bytes = whole;
    this.served = true;
    this.holder = undefined;
    if (holder?.value === bytes) this.shareWith(holder, text);
    return whole;
  }

  private versionText(): string {
    return versionText(this.resourceVersion, this.bytes, this.form.metadataAt);
  }

  private converted(to: ServedVersion): Buffer {
    if (this.form.byVersion !== undefined) throw new NeedsConversion({ kind: "entry", entry: this, to });
    return bytesIn(to, to.fromStorage?.(this.object()) ?? this.object());
  }
}

const parsed = (json: Buffer) => readJson(json.toString("utf8")) as JsonObject;

function bytesIn(version: ServedVersion, object: JsonObject): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return Buffer.concat([headOf(version), Buffer.from(writeJson(rest)).subarray(1)]);
}

/** Identity of an entry and its state in the store. */
interface Place {
  readonly form: ResourceForm;
  readonly path: string;
  readonly resourceVersion: number;
  /** See `StoredEntry.isStale`. */
  readonly isStale: boolean;
}

/** An entry that the store holds in another form, such as that of an older storage version. Any write converts it. */
export class ConvertedEntry extends StoredEntry {
  private readonly storeBytes: Buffer;
  private readonly hasFormerCode: boolean;

  constructor(at: Place, stored: Buffer, inStore: Buffer) {
    super(at.form, at.path, at.resourceVersion, stored);
    this.hasFormerCode = at.isStale;
    this.storeBytes = inStore;
  }

  override under(form: ResourceForm): ConvertedEntry {
    const { path, resourceVersion, isStale } = this;
    return new ConvertedEntry({ form, path, resourceVersion, isStale }, this.stored(), this.storeBytes);
  }

  override get isStale(): boolean {
    return this.hasFormerCode;
  }

  override get isCurrent(): boolean {
    return false;
  }

  override inStore(): Buffer {
    return this.storeBytes;
  }

  override sameAs(): boolean {
    return false;
  }
}

/**
 * An entry that may have been stored under an earlier definition of its resource. The form under the present definition
 * is computed at the first read: few of many objects are read, and lists read in slices.
 */
export class EarlierEntry extends StoredEntry {
  private readonly storeBytes: Buffer;
  private readonly hasFormerCode: boolean;
  private isRenewed = false;

  constructor(at: Place, stored: Buffer) {
    super(at.form, at.path, at.resourceVersion, stored);
    this.hasFormerCode = at.isStale;
    this.storeBytes = stored;
  }

  override under(form: ResourceForm): StoredEntry {
    const { path, resourceVersion, isStale } = this;
    return new EarlierEntry({ form, path, resourceVersion, isStale }, this.storeBytes);
  }

  override get isStale(): boolean {
    return this.hasFormerCode;
  }

  override get isCurrent(): boolean {
    return !this.isStale && super.isCurrent && this.stored().equals(this.storeBytes);
  }

  override inStore(): Buffer {
    return this.storeBytes;
  }

  override stored(): Buffer {
    this.renew();
    return super.stored();
  }

  override sameAs(stored: Buffer): boolean {
    return !this.isStale && this.stored().equals(this.storeBytes) && super.sameAs(stored);
  }

  override indexedField(label: string): string {
    this.renew();
    return super.indexedField(label);
  }

  /** Nothing is built before the first read. */
  override serveIn(): void {}

  protected override wholeJson(): Buffer {
    this.renew();
    return super.wholeJson();
  }

  private renew(): void {
    if (this.isRenewed) return;
    this.isRenewed = true;
    this.bytes = renewedStored(this.form, this.storeBytes);
  }
}

/** Approximate number of bytes that the resource version adds to an object. */
const VERSION_BYTES = '"resourceVersion":"1000000",'.length;
