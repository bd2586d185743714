import type { Random } from '../../kernel/random.ts';
import { acronymWords, type Field, syllables } from './lexicon.ts';
import { joinWell, soundsRude } from './unfortunate.ts';

const VOWELS = 'aeiouy';
const CONSONANTS = 'bdfgklmnprstvz';
const MAX_WITH_ENDING = 7;
const MAX_STEM = 6;

const { onsets, vowels, middles, softEnds, hardEnds } = syllables;

/** Samples a pronounceable invented word: "velora", "brenix". @returns undefined for an unsuitable one */
export function coined(random: Random): string | undefined {
  const dice = random.next();
  const onset = random.pick(onsets);
  let label: string;
  if (dice < 0.25) label = onset + random.pick(softEnds);
  else if (dice < 0.6) label = onset + random.pick(vowels) + random.pick(hardEnds);
  else label = onset + random.pick(vowels) + random.pick(middles) + random.pick(softEnds);
  return label.length < 4 || isAwkward(label) || soundsRude(label) ? undefined : label;
}

/** Adds an invented ending to a word: "coffee" → "coffora". @returns undefined for an unsuitable one */
export function blend(random: Random, word: string): string | undefined {
  const stem = word.slice(0, consonantEnd(word, Math.min(word.length, MAX_STEM)));
  const ending = random.pick(softEnds);
  const label = stem + ending;
  if (stem.length < 3 || ending.length < 2 || isAwkward(label) || !joinWell(stem, ending)) {
    return undefined;
  }
  return soundsRude(label.slice(stem.length - 2)) ? undefined : label;
}

/**
 * Splits a word with a product-name ending as it is spelled: "fleece", "ify" → "fleec", "ify".
 * @returns undefined for a word that is too long, or does not fit the ending
 */
export function withEnding(word: string, ending: string): string[] | undefined {
  if (word.length > MAX_WITH_ENDING) return undefined;
  const startsWithVowel = VOWELS.includes(ending.charAt(0));
  const end = startsWithVowel ? consonantEnd(word, word.length) : word.length;
  if (end < 3 || (!startsWithVowel && word.endsWith('y'))) return undefined;
  return [word.slice(0, end), ending];
}

/** Samples three to five letters: initials of a company, or a short sound such as "zavo". */
export function acronym(random: Random, field: Field): string | undefined {
  const dice = random.next();
  let label: string;
  if (dice < 0.6) {
    const { heads, tails } = acronymWords;
    label = random.pick(heads).charAt(0) + random.pick(field.words).charAt(0);
    if (dice > 0.15) label += random.pick(field.words).charAt(0);
    label += random.pick(tails).charAt(0);
  } else {
    label = sound(random) + sound(random);
    if (dice > 0.8) label += random.pick(['n', 'r', 's', 'x', 'k', 't', 'l', 'm']);
  }
  return soundsRude(label) ? undefined : label;
}

function sound(random: Random): string {
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
