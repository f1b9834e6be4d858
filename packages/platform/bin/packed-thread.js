// Entry point of worker threads. The first argument is the path of the program to run.
require("./packed")(process.argv[2]);
