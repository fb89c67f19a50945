// SPDX-License-Identifier: Apache-2.0
// Ranks names with Node: reads one name per line, and writes each rank as four bytes.
// node collator.mjs NAMES RANKS LOCALE SENSITIVITY; the locale "lower case" compares code points.
import { readFileSync, writeFileSync } from "node:fs";

const [names, ranks, locale, sensitivity] = process.argv.slice(2);

function inLowerCase(words) {
  // Code point by code point, because UTF8_LCASE does not have a special case for a final Σ.
  const lowered = words.map((word) =>
    Buffer.from([...word].map((letter) => letter.toLowerCase().replace("ς", "σ")).join("")));
  return (left, right) => Buffer.compare(lowered[left], lowered[right]);
}

function byCollator(words) {
  const collator = new Intl.Collator(locale, { sensitivity, ignorePunctuation: false });
  if (collator.resolvedOptions().locale !== locale) {
    throw new Error(`this Node does not support the locale ${locale}`);
  }
  return (left, right) => collator.compare(words[left], words[right]);
}

const words = readFileSync(names, "utf8").split("\n").slice(0, -1);
const compare = locale === "lower case" ? inLowerCase(words) : byCollator(words);
const order = Uint32Array.from(words, (_, index) => index).sort(compare);
const found = new Int32Array(words.length);
for (let place = 1; place < order.length; place++) {
  const step = compare(order[place - 1], order[place]) === 0 ? 0 : 1;
  found[order[place]] = found[order[place - 1]] + step;
}
writeFileSync(ranks, found);
