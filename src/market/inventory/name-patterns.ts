import type { Random } from '../../kernel/random.ts';
import { canBeJoined, containsRudeFragment } from './blocklist.ts';
import { CENTRAL_WORDS, type Field, lexicon, repeat } from './lexicon.ts';

const { acronymWords, fieldsByTopic, nameParts, syllables } = lexicon();

/** A name before it has a top-level domain. */
export interface Name {
  shape: Shape;
  field: Field;
  /** The part before the dot, in ASCII. */
  label: string;
  /** Its words in order: "brew", "pilot". */
  parts: readonly string[];
  /** The words that it is made of or refers to, the word of the field first. */
  about: readonly string[];
}

/** The kind of a name, which also decides its price and description. */
export type Shape = keyof typeof shares;

/** Samples a name; undefined for an unsuitable one, after which the caller samples again. */
type Pattern = (random: Random, field: Field) => Name | undefined;

const MAX_LENGTH = 20;
/** Only the most common words are joined to a town: "austindental", not "austinincisor". */
const MAX_CENTRAL = 6;

/** How many of a thousand names use each pattern. */
const shares = {
  word: 50,
  pair: 430,
  adjective: 120,
  affix: 82,
  ending: 18,
  blend: 35,
  coined: 65,
  acronym: 45,
  number: 25,
  hyphen: 28,
  place: 60,
  phrase: 38,
  international: 4,
};

const shapesByShare = repeat(Object.keys(shares) as Shape[], (shape) => shares[shape]);

/**
 * Samples the name of a listing.
 * @returns undefined if the parts do not fit together, or the name is too long
 */
export function sampleName(random: Random, field: Field): Name | undefined {
  return patterns[random.pick(shapesByShare)](random, field);
}

const patterns: Record<Shape, Pattern> = {
  word: (random, field) => {
    const word = wordOf(random, field);
    return { shape: 'word', field, label: word, parts: [word], about: [word] };
  },
  pair: (random, field) => {
    const dice = random.next();
    // "foxcoffee": an image, then a central word of the field.
    if (dice < 0.14) {
      const word = centralWordOf(random, field);
      const image = random.pick(nameParts.images);
      return joinParts('pair', field, [image, word], [word, image]);
    }
    const ofField = dice < 0.55;
    const tails = ofField ? field.tails : dice < 0.9 ? nameParts.tails : nameParts.images;
    return joinParts('pair', field, [wordOf(random, field), random.pick(tails)]);
  },
  adjective: (random, field) => {
    const adjective = random.pick(nameParts.adjectives);
    const word = wordOf(random, field);
    return joinParts('adjective', field, [adjective, word], [word, adjective]);
  },
  affix: (random, field) => {
    const word = wordOf(random, field);
    const parts =
      random.next() < 0.5
        ? [random.pick(nameParts.prefixes), word]
        : [word, random.pick(nameParts.suffixes)];
    return joinParts('affix', field, parts, [word]);
  },
  ending: (random, field) => {
    const word = wordOf(random, field);
    const parts = withEnding(word, random.pick(nameParts.endings));
    return parts && joinParts('ending', field, parts, [word]);
  },
  blend: (random, field) => {
    const word = wordOf(random, field);
    return inventedName('blend', field, blend(random, word), [word]);
  },
  coined: (random, field) => inventedName('coined', field, sampleSyllables(random), []),
  acronym: (random, field) => inventedName('acronym', field, acronym(random, field), []),
  number: (random, field) => {
    const word = centralWordOf(random, field);
    const number = random.pick(nameParts.numbers);
    const parts = random.next() < 0.75 ? [word, number] : [number, word];
    return joinParts('number', field, parts, [word]);
  },
  hyphen: (random, field) => {
    const name =
      random.next() < 0.7 ? patterns.pair(random, field) : patterns.adjective(random, field);
    return name && { ...name, shape: 'hyphen', label: name.parts.join('-') };
  },
  place: (random, field) => {
    if (!field.local) return undefined;
    const trades = random.next() < 0.5 ? field.words : field.tails;
    const trade = trades[random.int(MAX_CENTRAL)] ?? '';
    const place = random.pick(nameParts.places);
    return joinParts('place', field, place.concat(trade), [trade].concat(place));
  },
  phrase: (random, field) => {
    const lead = random.pick(random.next() < 0.5 ? nameParts.prefixes : nameParts.adjectives);
    const words = [wordOf(random, field), random.pick(field.tails)];
    return joinParts('phrase', field, [lead, ...words], words);
  },
  international: (random) => {
    const { word, ascii, topic } = random.pick(nameParts.international);
    const field = fieldsByTopic.get(topic);
    return field && { shape: 'international', field, label: ascii, parts: [word], about: [] };
  },
};

function joinParts(
  shape: Shape,
  field: Field,
  parts: readonly string[],
  about: readonly string[] = parts,
): Name | undefined {
  for (let at = 1; at < parts.length; at++) {
    if (!canBeJoined(parts[at - 1] ?? '', parts[at] ?? '')) return undefined;
  }
  const label = parts.join('');
  return label.length > MAX_LENGTH ? undefined : { shape, field, label, parts, about };
}

function inventedName(
  shape: Shape,
  field: Field,
  label: string | undefined,
  about: readonly string[],
): Name | undefined {
  return label ? { shape, field, label, parts: [label], about } : undefined;
}

/** Samples a word of a field. Words at the beginning of the list are more frequent. */
function wordOf(random: Random, field: Field): string {
  const position = random.next();
  return field.words[Math.floor(position * position * field.words.length)] ?? '';
}

function centralWordOf(random: Random, field: Field): string {
  return field.words[random.int(CENTRAL_WORDS)] ?? '';
}

const VOWELS = 'aeiouy';
const CONSONANTS = 'bdfgklmnprstvz';
const MAX_WITH_ENDING = 7;
const MAX_STEM = 6;

const { onsets, vowels, middles, softEnds, hardEnds } = syllables;

/** Samples a pronounceable invented word: "velora", "brenix". @returns undefined for an unsuitable one */
function sampleSyllables(random: Random): string | undefined {
  const dice = random.next();
  const onset = random.pick(onsets);
  let label: string;
  if (dice < 0.25) label = onset + random.pick(softEnds);
  else if (dice < 0.6) label = onset + random.pick(vowels) + random.pick(hardEnds);
  else label = onset + random.pick(vowels) + random.pick(middles) + random.pick(softEnds);
  return label.length < 4 || isAwkward(label) || containsRudeFragment(label) ? undefined : label;
}

/** Adds an invented ending to a word: "coffee" → "coffora". @returns undefined for an unsuitable one */
function blend(random: Random, word: string): string | undefined {
  const stem = word.slice(0, consonantEnd(word, Math.min(word.length, MAX_STEM)));
  const ending = random.pick(softEnds);
  const label = stem + ending;
  if (stem.length < 3 || ending.length < 2 || isAwkward(label) || !canBeJoined(stem, ending)) {
    return undefined;
  }
  return containsRudeFragment(label.slice(stem.length - 2)) ? undefined : label;
}

/**
 * Splits a word with an ending into its parts as they are spelled: "fleece", "ify" → "fleec", "ify".
 * @returns undefined for a word that is too long, or does not fit the ending
 */
function withEnding(word: string, ending: string): string[] | undefined {
  if (word.length > MAX_WITH_ENDING) return undefined;
  const startsWithVowel = VOWELS.includes(ending.charAt(0));
  const end = startsWithVowel ? consonantEnd(word, word.length) : word.length;
  if (end < 3 || (!startsWithVowel && word.endsWith('y'))) return undefined;
  return [word.slice(0, end), ending];
}

/** Samples three to five letters: initials of a company, or a short sound such as "zavo". */
function acronym(random: Random, field: Field): string | undefined {
  const dice = random.next();
  let label: string;
  if (dice < 0.6) {
    const { heads, tails } = acronymWords;
    label = random.pick(heads).charAt(0) + random.pick(field.words).charAt(0);
    if (dice > 0.15) label += random.pick(field.words).charAt(0);
    label += random.pick(tails).charAt(0);
  } else {
    label = syllable(random) + syllable(random);
    if (dice > 0.8) label += random.pick(['n', 'r', 's', 'x', 'k', 't', 'l', 'm']);
  }
  return containsRudeFragment(label) ? undefined : label;
}

function syllable(random: Random): string {
  return CONSONANTS.charAt(random.int(CONSONANTS.length)) + random.pick(vowels);
}

/** Returns the length of the word without the vowels at its end. */
function consonantEnd(word: string, from: number): number {
  let end = from;
  while (end > 0 && VOWELS.includes(word.charAt(end - 1))) end--;
  return end;
}

/** Whether the word has three vowels in a row, "quu" included. */
function isAwkward(label: string): boolean {
  let run = 0;
  for (let at = 0; at < label.length; at++) {
    run = VOWELS.includes(label.charAt(at)) ? run + 1 : 0;
    if (run === 3) return true;
  }
  return false;
}
