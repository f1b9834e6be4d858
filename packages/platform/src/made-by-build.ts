const packed = require("../bin/packed") as { madeByBuild(name: string): string | undefined };

/** @returns a text that the build has made of what the programs are, so that a start need not; undefined where there is no pack, see packed.js */
export const madeByBuild = (name: string): string | undefined => packed.madeByBuild(name);
