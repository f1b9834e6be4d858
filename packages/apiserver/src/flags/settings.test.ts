import { expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig } from "./server-flags";
import { SettingsError, settingsOf } from "./settings";

const settings = (...words: string[]) =>
  settingsOf(parseFlags(SERVER_FLAGS, words).config as ServerConfig, vocabularyOf("orch"));

test("the store is etcd where its servers are named, else one of the server's own", () => {
  expect(settings().store).toBe("embedded");
  expect(settings("--etcd-servers=http://127.0.0.1:2379").store).toBe("etcd");
  expect(settings("--store=memory").store).toBe("memory");
});

test("anonymous requests are refused beside AlwaysAllow, with a warning", () => {
  expect(settings()).toMatchObject({ anonymous: false, warnings: [expect.stringContaining("AlwaysAllow")] });
  expect(settings("--authorization-mode=RBAC")).toMatchObject({ anonymous: true, warnings: [] });
});

test("everything that is wrong is told at once", () => {
  const wrong = [
    "--authorization-mode=RBAC,RBAC",
    "--tls-cert-file=a",
    "--etcd-keyfile=b",
    "--store=etcd",
    "--etcd-prefix=registry/",
    "--runtime-config=nothing/v1",
    "--feature-gates=Nothing=true",
    "--enable-admission-plugins=Nothing",
    "--tls-cipher-suites=NOTHING",
    "--cors-allowed-origins=(",
    "--show-hidden-metrics-for-version=1.2",
  ];
  try {
    settings(...wrong);
    expect("accepted").toBe("refused");
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as SettingsError).lines).toHaveLength(wrong.length);
  }
});
