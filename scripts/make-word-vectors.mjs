// Writes fixtures/lexicon/word-vectors.txt from industries.json and kindred-words.txt in the same folder. The same
// sources give the same bytes on every machine.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LEXICON = path.join(import.meta.dirname, '../fixtures/lexicon');

/** Weight of each kind of shared company in the meaning of a word; only the proportions count. */
const IN_FIELD = 60;
/** A group of kindred-words.txt: synonyms. */
const IN_GROUP = 85;
/** Neighbors in the list of a field in industries.json, where related words are next to each other. */
const IN_RANGE = 25;
const RANGE = 6;
/** Length of every vector, within rounding. */
const LENGTH = 100;

/** Returns the text of the file: a line with the fields, which are the first dimensions, then a line per word. */
export function wordVectors() {
  const fields = JSON.parse(fs.readFileSync(path.join(LEXICON, 'industries.json'), 'utf8'));
  const topics = fields.map(({ topic }) => topic);
  const words = new Map();
  let dimensions = topics.length;

  const weigh = (word, dimension, weight) => {
    const vector = words.get(word) ?? new Map();
    vector.set(dimension, weight);
    words.set(word, vector);
  };
  const weighAll = (members, field, weight) => {
    for (const word of members) {
      weigh(word, field, IN_FIELD);
      weigh(word, dimensions, weight);
    }
    dimensions += 1;
  };

  fields.forEach(({ words: lines, tails }, field) => {
    const listed = lines.join(' ').split(' ');
    for (const tail of tails.split(' ')) weigh(tail, field, IN_FIELD);
    // Two overlapping rows of ranges, so that no two neighbors are separated in both.
    for (const shift of [0, RANGE / 2]) {
      for (let at = -shift; at < listed.length; at += RANGE) {
        weighAll(listed.slice(Math.max(0, at), at + RANGE), field, IN_RANGE);
      }
    }
  });
  for (const { topic, members } of kindred()) {
    const field = topics.indexOf(topic);
    if (field < 0) throw new Error(`kindred-words.txt: no field is called ${topic}`);
    weighAll(members, field, IN_GROUP);
  }
  const lines = [...words]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, vector]) => `${word} ${asText(vector)}`);
  return `${[topics.join(' '), ...lines].join('\n')}\n`;
}

function kindred() {
  const text = fs.readFileSync(path.join(LEXICON, 'kindred-words.txt'), 'utf8');
  const groups = [];
  let topic;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^\[(.+)\]$/.exec(line);
    if (heading) topic = heading[1];
    else groups.push({ topic, members: [...new Set(line.split(' '))] });
  }
  return groups;
}

function asText(vector) {
  let squares = 0;
  for (const weight of vector.values()) squares += weight * weight;
  const scale = LENGTH / Math.sqrt(squares);
  return [...vector]
    .sort(([a], [b]) => a - b)
    .map(([dimension, weight]) => `${dimension}:${Math.round(weight * scale)}`)
    .join(' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  fs.writeFileSync(path.join(LEXICON, 'word-vectors.txt'), wordVectors());
}
