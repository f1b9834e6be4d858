// Retention of backups: which files are removed.
import { expect, test } from "@jest/globals";
import { outdated } from "./backup-names";

const NOW = Date.parse("2026-05-10T12:00:00Z");
const DAY_MS = 86_400_000;
const name = (day: string) => `orch-2026-05-${day}T12-00-00Z.backup`;
const NAMES = [name("07"), name("10"), name("08"), name("09")];

test.each([
  ["the number of files", { keep: 2, keepForMs: undefined }, [name("08"), name("07")]],
  ["the age", { keep: 9, keepForMs: 1.5 * DAY_MS }, [name("08"), name("07")]],
  ["both", { keep: 1, keepForMs: 9 * DAY_MS }, [name("09"), name("08"), name("07")]],
  ["nothing", { keep: 4, keepForMs: undefined }, []],
])("files are removed by %s", (_, retention, expected) => {
  expect(outdated(NAMES, "embedded", { ...retention, nowMs: NOW })).toEqual(expected);
});

test("the newest backup stays whatever its age, and other files are left alone", () => {
  const others = [
    "orch-notes.backup",
    "orch-2026-05-01T12-00-00Z.backup.partial-00",
    "etcd-2026-05-01T12-00-00Z.snapshot",
    "orch-2026-99-99T12-00-00Z.backup",
  ];
  const retention = { keep: 1, keepForMs: 1, nowMs: NOW };
  expect(outdated([...others, name("07")], "embedded", retention)).toEqual([]);
});
