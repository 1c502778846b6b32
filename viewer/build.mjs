// node build.mjs TARGET FINGERPRINT: the bundle as one plain script that defines `THREE`, with the licence of three.js in front.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const [target, fingerprint] = process.argv.slice(2);
const licence = readFileSync(new URL("node_modules/three/LICENSE", import.meta.url), "utf8").trim();
await build({
  entryPoints: ["three-space.js"],
  outfile: target,
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "THREE",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  banner: { js: `/* fingerprint ${fingerprint}\nthree.js: ${licence.replaceAll("*/", "* /")}\n*/` },
  logLevel: "error",
});
