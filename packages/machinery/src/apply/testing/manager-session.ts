// One object and its managers, for tests that apply and update step by step.

import type { JsonObject } from "@orch/schema";
import { sameJson } from "../../json/same-json";
import { metaOf } from "../../objects/object-meta";
import { type ApplyRequest, applyPatch } from "../apply-patch";
import { pathTexts } from "../field-set";
import { readFieldsV1 } from "../fields-v1";
import { trackUpdate } from "../track-update";
import type { ObjectVersions } from "../versioned-change";

type Options = Partial<Pick<ApplyRequest, "force" | "clientSideApply" | "itemOrder">> & {
  readonly apiVersion?: string;
  readonly subresource?: string;
};

export class ManagerSession {
  object: JsonObject | undefined;
  private seconds = 0;

  constructor(
    readonly versions: ObjectVersions,
    readonly apiVersion = "v1",
  ) {}

  /**
   * Applies a body.
   * @param body without kind and apiVersion
   * @returns whether anything changed
   */
  apply(
    manager: string,
    body: JsonObject,
    { apiVersion = this.apiVersion, subresource, ...more }: Options = {},
  ): boolean {
    const live = this.liveIn(apiVersion);
    const object = applyPatch({
      live,
      applied: { kind: "Sample", apiVersion, ...body },
      by: { manager, apiVersion, ...(subresource === undefined ? {} : { subresource }) },
      force: false,
      time: this.now(),
      versions: this.versions,
      ...more,
    });
    this.store(object, apiVersion);
    return !sameJson(object, live);
  }

  /**
   * Updates the object.
   * @param change modifies the object, as a client does that reads it, changes it and writes it back
   */
  update(
    manager: string,
    change: (object: JsonObject) => void,
    { apiVersion = this.apiVersion, subresource }: Options = {},
  ): void {
    const old = this.liveIn(apiVersion);
    const next = structuredClone(old) ?? { kind: "Sample", apiVersion, metadata: {} };
    change(next);
    const type = this.versions.typeOf(apiVersion);
    const decoded = type?.decode(next).value ?? next;
    type?.applyDefaults(decoded);
    const by = { manager, apiVersion, ...(subresource === undefined ? {} : { subresource }) };
    trackUpdate({ old, next: decoded, by, time: this.now(), versions: this.versions });
    this.store(decoded, apiVersion);
  }

  /** Returns a member of the object in the session's version. */
  get(name: string): unknown {
    return this.object?.[name];
  }

  /** Returns the owned paths by owner, where an owner is `manager (operation)`. */
  owners(): Readonly<Record<string, readonly string[]>> {
    const entries = metaOf(this.object ?? {}).managedFields ?? [];
    return Object.fromEntries(
      entries.map(({ manager, operation, fieldsV1 }) => [
        `${manager} (${operation})`,
        pathTexts(readFieldsV1(fieldsV1)),
      ]),
    );
  }

  times(): Readonly<Record<string, string>> {
    const entries = metaOf(this.object ?? {}).managedFields ?? [];
    return Object.fromEntries(entries.map(({ manager = "", time = "" }) => [manager, time]));
  }

  private liveIn(apiVersion: string): JsonObject | undefined {
    if (this.object === undefined || apiVersion === this.apiVersion) return this.object;
    return this.versions.convert(structuredClone(this.object), this.apiVersion, apiVersion);
  }

  private store(object: JsonObject, apiVersion: string): void {
    this.object =
      apiVersion === this.apiVersion
        ? object
        : this.versions.convert(structuredClone(object), apiVersion, this.apiVersion);
  }

  /** Advances the time by one second per step. */
  private now(): string {
    this.seconds += 1;
    return `2024-01-01T00:${String(Math.floor(this.seconds / 60)).padStart(2, "0")}:${String(this.seconds % 60).padStart(2, "0")}Z`;
  }
}
