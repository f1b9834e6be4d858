// Entry point of `orch`.
import { main } from "./program/main";

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
