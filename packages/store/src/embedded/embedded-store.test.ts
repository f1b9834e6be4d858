import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "@jest/globals";
import { openStore } from "../open-store";
import { describeStoreContract } from "../testing/store-contract";

const root = mkdtempSync(join(tmpdir(), "store-embedded-"));
let directories = 0;
const newDirectory = () => join(root, `${directories++}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeStoreContract("the embedded store", () => openStore({ kind: "embedded", directory: newDirectory() }));
