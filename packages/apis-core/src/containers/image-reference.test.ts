import { expect, test } from "@jest/globals";
import { isLatestImage } from "./image-reference";

const digest = `sha256:${"0a".repeat(32)}`;

test.each<[string, boolean]>([
  ["nginx", true],
  ["nginx:latest", true],
  ["library/nginx", true],
  ["example.com/team/web-server", true],
  ["example.com:5000/web", true],
  ["localhost/web", true],
  [`nginx:latest@${digest}`, true],
  ["nginx:1.25", false],
  ["example.com:5000/web:v1", false],
  [`nginx@${digest}`, false],
  [`nginx:1.25@${digest}`, false],
  ["", false],
  ["Nginx", false],
  ["a//b", false],
  ["nginx:", false],
  ["nginx@sha256:12", false],
  ["0a".repeat(32), false],
  [`${"a-".repeat(500)}!`, false],
])("%s stands for the newest image: %s", (name, expected) => expect(isLatestImage(name)).toBe(expected));
