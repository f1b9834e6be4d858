// Backups in a bucket. A backup is checked while it is sent: an upload in parts becomes an object only when the content is
// whole, and is then read again.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { BackupError } from "../content/backup-error";
import { type CheckedBackup, ContentCheck } from "../content/content-check";
import { readBackupName } from "../files/backup-names";
import type { BackupTarget } from "./backup-target";
import { loadS3, newS3Client, s3Error } from "./s3-client";
import type { S3Options } from "./s3-options";

/** Size of a part, which is in memory while it is sent. 10,000 parts are the most that S3 takes: 48 GiB. */
const PART_BYTES = 5 * 1024 * 1024;
/** Number of keys in a list. */
const PAGE_KEYS = 500;
/** Limit of a list: a bucket that others fill must not fill the memory. */
const PAGES_MAX = 100;
/** Time for the end of an upload that has failed. */
const FORGET_MS = 10_000;
/** Age from which no process can still be sending the parts of an upload. */
const ABANDONED_MS = 24 * 3_600_000;

export class S3Target implements BackupTarget {
  private readonly client: S3Client;

  /** @param options prefix: as `asFolder` returns it @throws BackupError for a file that cannot be read */
  constructor(private readonly options: S3Options) {
    this.client = newS3Client(options);
  }

  placeOf(name: string): string {
    return `s3://${this.options.bucket}/${this.keyOf(name)}`;
  }

  async write(name: string, pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<CheckedBackup> {
    const place = this.placeOf(name);
    const sent = new Passage(place);
    await this.send(name, sent, pieces, signal);
    try {
      const back = new Passage(place);
      for await (const _ of back.through(this.read(name, signal))) signal.throwIfAborted();
      if (back.digest !== sent.digest)
        throw new BackupError(`${place}: the content read differs from the content sent`);
      return back.found;
    } catch (error) {
      await this.remove(name, signal).catch(() => {});
      throw error;
    }
  }

  async *read(name: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { GetObjectCommand } = loadS3().client;
    const { bucket } = this.options;
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ Bucket: bucket, Key: this.keyOf(name) }), {
        abortSignal: signal,
      });
      if (Body instanceof Readable) yield* Body as AsyncIterable<Buffer>;
    } catch (error) {
      throw signal.aborted ? signal.reason : s3Error(`cannot read ${this.placeOf(name)}`, error);
    }
  }

  async names(signal: AbortSignal): Promise<readonly string[]> {
    const { ListObjectsV2Command } = loadS3().client;
    const { bucket, prefix } = this.options;
    const names: string[] = [];
    let token: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const found = await this.call(`cannot list s3://${bucket}/${prefix}`, signal, (abortSignal) =>
        this.client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix,
            Delimiter: "/",
            MaxKeys: PAGE_KEYS,
            ...(token !== undefined && { ContinuationToken: token }),
          }),
          { abortSignal },
        ),
      );
      for (const { Key = "" } of found.Contents ?? []) if (Key.startsWith(prefix)) names.push(Key.slice(prefix.length));
      const next = found.NextContinuationToken;
      if (found.IsTruncated !== true || next === undefined || next === token) break;
      token = next;
    }
    return names;
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const { DeleteObjectCommand } = loadS3().client;
    const input = { Bucket: this.options.bucket, Key: this.keyOf(name) };
    await this.call(`cannot remove ${this.placeOf(name)}`, signal, (abortSignal) =>
      this.client.send(new DeleteObjectCommand(input), { abortSignal }),
    );
  }

  /** Ends uploads whose parts would be stored forever. Some services do not list them. */
  async removePartial(nowMs: number, signal: AbortSignal): Promise<void> {
    const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = loadS3().client;
    const { bucket, prefix } = this.options;
    try {
      const { Uploads = [] } = await this.client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, MaxUploads: PAGE_KEYS }),
        { abortSignal: signal },
      );
      for (const { Key = "", UploadId, Initiated } of Uploads) {
        const isOurs = Key.startsWith(prefix) && readBackupName(Key.slice(prefix.length)) !== undefined;
        if (!isOurs || Initiated === undefined || nowMs - Initiated.getTime() < ABANDONED_MS) continue;
        await this.client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }), {
          abortSignal: signal,
        });
      }
    } catch {
      // The next backup tries again.
    }
  }

  close(): void {
    this.client.destroy();
  }

  private keyOf(name: string): string {
    return `${this.options.prefix}${name}`;
  }

  /** Sends an object, in parts when it has more than one. A failure ends the upload. */
  private async send(
    name: string,
    passage: Passage,
    pieces: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void> {
    const { Upload } = require("@aws-sdk/lib-storage") as typeof import("@aws-sdk/lib-storage");
    const body = Readable.from(passage.through(pieces), { objectMode: true, highWaterMark: 1 });
    // The library attaches its handler only when it has read the first part.
    body.on("error", () => {});
    const input = { Bucket: this.options.bucket, Key: this.keyOf(name) };
    const upload = new Upload({
      client: this.client,
      params: { ...input, Body: body },
      partSize: PART_BYTES,
      queueSize: 1,
      // The library would not end an upload that is aborted.
      leavePartsOnError: true,
    });
    const abort = (): void => void upload.abort().catch(() => {});
    signal.addEventListener("abort", abort, { once: true });
    try {
      signal.throwIfAborted();
      await upload.done();
    } catch (error) {
      await this.forget(input, upload.uploadId);
      if (signal.aborted) throw signal.reason;
      throw passage.failure ?? s3Error(`cannot write ${this.placeOf(name)}`, error);
    } finally {
      signal.removeEventListener("abort", abort);
      body.destroy();
    }
  }

  /** Ends an upload, whose parts would be stored for ever. */
  private async forget(
    input: { readonly Bucket: string; readonly Key: string },
    id: string | undefined,
  ): Promise<void> {
    if (id === undefined) return;
    const { AbortMultipartUploadCommand } = loadS3().client;
    const abortSignal = AbortSignal.timeout(FORGET_MS);
    // The next backup tries again, see `removePartial`.
    await this.client
      .send(new AbortMultipartUploadCommand({ ...input, UploadId: id }), { abortSignal })
      .catch(() => {});
  }

  private async call<Found>(
    what: string,
    signal: AbortSignal,
    act: (abortSignal: AbortSignal) => Promise<Found>,
  ): Promise<Found> {
    try {
      return await act(signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : s3Error(what, error);
    }
  }
}

/** The content of a backup on its way: checked, and summed. */
class Passage {
  private readonly check: ContentCheck;
  private readonly hash = createHash("sha256");
  private checked: CheckedBackup | undefined;
  private sum = "";
  /** Failure of the content, and not of its way. */
  failure: unknown;

  constructor(place: string) {
    this.check = new ContentCheck(place);
  }

  get found(): CheckedBackup {
    if (this.checked === undefined) throw new Error("the content has not passed yet");
    return this.checked;
  }

  get digest(): string {
    return this.sum;
  }

  /** @throws BackupError at the end of content that is not a whole backup */
  async *through(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of pieces) {
        this.check.push(piece);
        this.hash.update(piece);
        yield piece;
      }
      this.checked = this.check.finish();
      this.sum = this.hash.digest("hex");
    } catch (error) {
      // A stream that is left ends its source with this error.
      if ((error as Error).name !== "AbortError") this.failure = error;
      throw error;
    }
  }
}
