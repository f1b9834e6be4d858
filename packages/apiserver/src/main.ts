// Starts the program of the package apiserver-program, for unit files and scripts that name this older path.
require("../../apiserver-program/dist/main.js");
