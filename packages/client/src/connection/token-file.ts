// A bearer token in a file that is rotated by another program, as by the kubelet.

import { readFile } from "node:fs/promises";
import type { Clock } from "@orch/platform";
import { ConfigurationError } from "./connection-settings";

const READ_AGAIN_AFTER_MS = 50_000;

export class TokenFile {
  private good: { readonly token: string; readonly readAt: number } | undefined;
  private stale = false;

  /** @param otherwise token used until the file can be read */
  constructor(
    private readonly path: string,
    private readonly otherwise: string | undefined,
    private readonly clock: Clock,
  ) {}

  /** Returns the token. @throws Error when the file was never readable, ConfigurationError when it is empty */
  async token(): Promise<string> {
    const { good } = this;
    if (good !== undefined && !this.stale && this.clock.elapsed() - good.readAt < READ_AGAIN_AFTER_MS)
      return good.token;
    const token = await this.read();
    this.good = { token, readAt: this.clock.elapsed() };
    this.stale = false;
    return token;
  }

  rejected(): void {
    this.stale = true;
  }

  private async read(): Promise<string> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      const known = this.good?.token ?? this.otherwise;
      if (known === undefined) throw error;
      return known;
    }
    const token = text.trim();
    if (token === "") throw new ConfigurationError(`token file ${this.path} is empty`);
    return token;
  }
}
