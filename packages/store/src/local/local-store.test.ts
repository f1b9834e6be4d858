import { openStore } from "../open-store";
import { describeStoreContract } from "../testing/store-contract";

describeStoreContract("the memory store", () => openStore({ kind: "memory" }));
