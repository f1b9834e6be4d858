// Entry point of worker threads. The first argument is the path of the program to run.
"use strict";
require(process.argv[2]);
