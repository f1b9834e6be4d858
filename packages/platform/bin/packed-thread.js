// What a thread begins with, as programs do: its first word is the path of its own program.
require("./packed")(process.argv[2]);
