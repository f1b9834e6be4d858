// A key management service on a Unix socket, a new one for each test, with a clock that tests control.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "@jest/globals";
import { KmsPlugin, ManualClock } from "@orch/testing";
import type { EncryptionProvider } from "../../provider";

export interface KeyServiceOfTest {
  readonly folder: string;
  readonly plugin: KmsPlugin;
  readonly clock: ManualClock;
}

/**
 * @param begin called before each test @returns a function that registers a provider, which is closed after the test
 */
export function useKeyService(begin: (service: KeyServiceOfTest) => void) {
  const providers: EncryptionProvider[] = [];
  let service: KeyServiceOfTest;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "kms-"));
    const plugin = await new KmsPlugin(join(folder, "kms.sock")).start();
    service = { folder, plugin, clock: new ManualClock() };
    begin(service);
  });
  afterEach(() => {
    for (const provider of providers.splice(0)) provider.close();
    service.plugin.stop();
    rmSync(service.folder, { recursive: true, force: true });
  });
  return (provider: EncryptionProvider): EncryptionProvider => {
    providers.push(provider);
    return provider;
  };
}
