#!/usr/bin/env node
require("./load-bundle")();
