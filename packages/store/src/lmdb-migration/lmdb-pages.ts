// Reads the LMDB data file of release 0.1 without the LMDB library, because mapping a damaged file can crash the
// process. Every page is verified; a wrong page is reported. All numbers are little-endian.
//
//   page   number (8), transaction (8), 2, flags (2), lower (2) and upper (2), or pages (4) of a large value
//   then   lower / 2 offsets (2) of nodes, relative to the end of this head
//   node   branch: page number (6), key length (2), key; leaf: data length (4), flags (2), key length (2), key, data
//   meta   the first two pages; the one of the later transaction is valid

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { StoreOpenError } from "../contract/open-problem";

const PAGE_HEAD_BYTES = 24;
const NODE_HEAD_BYTES = 8;
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const META = 0x08;
const KIND_MASK = BRANCH | LEAF | OVERFLOW | META;
const BIG_DATA = 0x01;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** Offsets in a meta page after its head. */
const META_OFFSET = {
  magic: 0,
  version: 4,
  pageSize: 24,
  entries: 104,
  root: 112,
  lastPage: 120,
  transaction: 128,
} as const;
const SMALLEST_PAGE = 512;
const LARGEST_PAGE = 65_536;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const DEPTH_MAX = 64;

export interface LmdbRecord {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Position of the value in the file. */
  readonly at: number;
}

interface Meta {
  readonly pageSize: number;
  readonly entries: number;
  readonly root: bigint;
  readonly transaction: bigint;
}

/**
 * Returns all records in key order.
 * @throws StoreOpenError damaged, cut, foreign, empty
 */
export function* readLmdb(path: string): Iterable<LmdbRecord> {
  const file = new PagedFile(path);
  try {
    const meta = file.newestMeta();
    let found = 0;
    for (const record of file.records(meta)) {
      found += 1;
      yield record;
    }
    if (found !== meta.entries) throw damaged(path, `it contains ${found} of ${meta.entries} records`);
  } finally {
    file.close();
  }
}

/** Returns the readable records of the newest state that has any. */
export function* salvageLmdb(path: string, told: (what: string) => void): Iterable<LmdbRecord> {
  const file = new PagedFile(path);
  try {
    for (const meta of file.metas()) {
      let found = 0;
      for (const record of file.records(meta, told)) {
        found += 1;
        yield record;
      }
      if (found > 0) return;
    }
  } finally {
    file.close();
  }
}

class PagedFile {
  private readonly descriptor: number;
  private readonly size: number;
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
    this.descriptor = openSync(path, "r");
    this.size = fstatSync(this.descriptor).size;
  }

  close(): void {
    closeSync(this.descriptor);
  }

  newestMeta(): Meta {
    if (this.size === 0) throw new StoreOpenError("empty", `${this.path} is empty`);
    const metas = this.metas();
    const [newest] = metas;
    if (newest === undefined) {
      const problem = this.size < 2 * SMALLEST_PAGE ? "cut" : "foreign";
      throw new StoreOpenError(problem, `${this.path} is not a data file, or its beginning is lost`);
    }
    if (this.size < 2 * newest.pageSize)
      throw new StoreOpenError("cut", `${this.path} is truncated to ${this.size} bytes`);
    if (metas.length < 2) throw damaged(this.path, "one of its first two pages is corrupt");
    return newest;
  }

  /** Returns the readable meta pages, the newest first. */
  metas(): readonly Meta[] {
    const first = this.metaAt(0);
    const sizes = first === undefined ? [4096, 8192, 16_384, 32_768, 65_536] : [first.pageSize];
    const second = sizes.map((size) => this.metaAt(size)).find((meta) => meta !== undefined);
    const found = [first, second].filter((meta) => meta !== undefined);
    return found.sort((a, b) => (a.transaction > b.transaction ? -1 : 1));
  }

  /** @param told called with descriptions of unreadable parts, which are skipped; absent: they are thrown */
  *records({ root, pageSize }: Meta, told?: (what: string) => void): Iterable<LmdbRecord> {
    if (root === NO_PAGE) return;
    yield* this.recordsUnder(root, { pageSize, depth: 0, told });
  }

  private *recordsUnder(number: bigint, at: Walk): Iterable<LmdbRecord> {
    let page: Page;
    try {
      page = this.page(number, at);
    } catch (error) {
      if (at.told === undefined || !(error instanceof StoreOpenError)) throw error;
      at.told(error.message);
      return;
    }
    for (const node of page.nodes) {
      if (page.isBranch) yield* this.recordsUnder(node.child, { ...at, depth: at.depth + 1 });
      else {
        const record = this.recordOf(node, at);
        if (record !== undefined) yield record;
      }
    }
  }

  private recordOf({ key, value, at, bigAt }: Node, walk: Walk): LmdbRecord | undefined {
    if (bigAt === undefined) return { key, value, at };
    try {
      const start = this.placeOf(bigAt.page, walk.pageSize);
      const head = this.bytes(start, PAGE_HEAD_BYTES);
      const isOverflow = (head.readUInt16LE(18) & KIND_MASK) === OVERFLOW && head.readBigUInt64LE(0) === bigAt.page;
      if (!isOverflow) throw damaged(this.path, `page ${bigAt.page} does not belong to a large record`);
      return { key, value: this.bytes(start + PAGE_HEAD_BYTES, bigAt.length), at: start + PAGE_HEAD_BYTES };
    } catch (error) {
      if (walk.told === undefined || !(error instanceof StoreOpenError)) throw error;
      walk.told(error.message);
      return undefined;
    }
  }

  private page(number: bigint, { pageSize, depth }: Walk): Page {
    const start = this.placeOf(number, pageSize);
    const bytes = this.bytes(start, pageSize);
    const kind = bytes.readUInt16LE(18) & KIND_MASK;
    const isTree = (kind === BRANCH || kind === LEAF) && bytes.readBigUInt64LE(0) === number && depth < DEPTH_MAX;
    if (!isTree) throw damaged(this.path, `page ${number} does not belong to the tree`);
    const count = bytes.readUInt16LE(20) >> 1;
    try {
      const nodes = Array.from({ length: count }, (_, index) =>
        nodeAt(bytes, start, { index, isBranch: kind === BRANCH }),
      );
      return { isBranch: kind === BRANCH, nodes };
    } catch (error) {
      throw damaged(this.path, `page ${number}: ${(error as Error).message}`);
    }
  }

  private placeOf(page: bigint, pageSize: number): number {
    const start = Number(page) * pageSize;
    if (start + PAGE_HEAD_BYTES > this.size) {
      throw new StoreOpenError("cut", `${this.path} is truncated before page ${page}, byte ${start}`);
    }
    return start;
  }

  private metaAt(start: number): Meta | undefined {
    if (start + PAGE_HEAD_BYTES + 136 > this.size) return undefined;
    const page = this.bytes(start, PAGE_HEAD_BYTES + 136);
    const meta = page.subarray(PAGE_HEAD_BYTES);
    const isMeta =
      (page.readUInt16LE(18) & KIND_MASK) === META &&
      meta.readUInt32LE(META_OFFSET.magic) === MAGIC &&
      (meta.readUInt32LE(META_OFFSET.version) & 0xffff) === VERSION;
    const pageSize = meta.readUInt32LE(META_OFFSET.pageSize);
    if (!isMeta || pageSize < SMALLEST_PAGE || pageSize > LARGEST_PAGE || (pageSize & (pageSize - 1)) !== 0)
      return undefined;
    return {
      pageSize,
      entries: Number(meta.readBigUInt64LE(META_OFFSET.entries)),
      root: meta.readBigUInt64LE(META_OFFSET.root),
      transaction: meta.readBigUInt64LE(META_OFFSET.transaction),
    };
  }

  private bytes(start: number, length: number): Buffer {
    if (start + length > this.size) {
      throw new StoreOpenError("cut", `${this.path} is truncated: it must have at least ${start + length} bytes`);
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let filled = 0; filled < length; ) {
      const read = readSync(this.descriptor, bytes, filled, length - filled, start + filled);
      if (read === 0) throw new StoreOpenError("cut", `${this.path} was truncated while it was read`);
      filled += read;
    }
    return bytes;
  }
}

interface Walk {
  readonly pageSize: number;
  readonly depth: number;
  readonly told: ((what: string) => void) | undefined;
}

interface Page {
  readonly isBranch: boolean;
  readonly nodes: readonly Node[];
}

interface Node {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly at: number;
  /** Child page of a branch. */
  readonly child: bigint;
  /** Position of a value on overflow pages. */
  readonly bigAt: { readonly page: bigint; readonly length: number } | undefined;
}

/** @throws RangeError for a node that exceeds its page */
function nodeAt(page: Buffer, pageAt: number, { index, isBranch }: { index: number; isBranch: boolean }): Node {
  const at = page.readUInt16LE(PAGE_HEAD_BYTES + 2 * index) + PAGE_HEAD_BYTES;
  const low = page.readUInt32LE(at);
  const flags = page.readUInt16LE(at + 4);
  const keyEnd = at + NODE_HEAD_BYTES + page.readUInt16LE(at + 6);
  if (keyEnd > page.length) throw new RangeError("a key extends beyond the page");
  const key = page.subarray(at + NODE_HEAD_BYTES, keyEnd);
  const child = BigInt(low) | (BigInt(flags) << 32n);
  if (isBranch) return { key, value: NOTHING, at: 0, child, bigAt: undefined };
  if ((flags & BIG_DATA) !== 0) {
    return { key, value: NOTHING, at: 0, child, bigAt: { page: page.readBigUInt64LE(keyEnd), length: low } };
  }
  if (keyEnd + low > page.length) throw new RangeError("a record extends beyond the page");
  return { key, value: page.subarray(keyEnd, keyEnd + low), at: pageAt + keyEnd, child, bigAt: undefined };
}

const NOTHING = Buffer.alloc(0);

const damaged = (path: string, what: string) => new StoreOpenError("damaged", `${path} is corrupt: ${what}`);
