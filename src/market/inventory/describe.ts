import templateData from '../../../fixtures/lexicon/descriptions.json' with { type: 'json' };
import type { Random } from '../../kernel/random.ts';
import type { Name } from './name-patterns.ts';

interface Offer {
  name: Name;
  tld: string;
  keywords: readonly string[];
  /** Index of the buyer in the buyers of the field. */
  buyer: number;
}

type Slot = (offer: Offer) => string;

/** A text with slots, each with the text after it: "A {n}-letter name." → "A ", then slot "n" and "-letter name.". */
interface Template {
  lead: string;
  parts: readonly { slot: Slot; text: string }[];
}

const MAX_KEYWORDS = 6;

const slots: Readonly<Record<string, Slot>> = {
  name: ({ name }) => displayName(name),
  tld: ({ tld }) => tld,
  category: ({ name }) => name.field.category,
  suit: ({ name, buyer }) => name.field.suits[buyer] ?? '',
  suit2: ({ name, buyer }) => name.field.suits[(buyer + 1) % name.field.suits.length] ?? '',
  a: ({ name }) => name.about[0] ?? name.label,
  b: ({ name }) => name.about[1] ?? name.label,
  near: ({ name, keywords }) => keywords[name.about.length] ?? '',
  near2: ({ name, keywords }) => keywords[name.about.length + 1] ?? '',
  place: ({ name }) => name.parts.slice(0, -1).map(capitalized).join(' '),
  n: ({ name }) => String(name.label.length),
};

const templates: ReadonlyMap<string, readonly Template[]> = new Map(
  Object.entries(templateData).map(([shape, texts]) => [shape, texts.map(parse)]),
);

/**
 * Samples the keywords of a name: its own words, then related ones of its field.
 * @param wordRank index of the name's word in the words of its field, -1 if it has none
 * @returns two to six different lower-case words, at least two of them not in the name
 */
export function keywordsOf(random: Random, name: Name, wordRank: number): string[] {
  const { words, tails } = name.field;
  const count = words.length;
  const keywords = name.about.slice();
  // Related words are neighbors in the lexicon; the name itself may use one of the three.
  const near = wordRank >= 0 ? wordRank : random.int(count);
  addWord(keywords, words[(near + 1) % count]);
  addWord(keywords, words[(near + count - 1) % count]);
  if (keywords.length < name.about.length + 2) addWord(keywords, words[(near + 2) % count]);
  addWord(keywords, words[random.int(4)]);
  addWord(keywords, random.pick(tails));
  return keywords;
}

/** Samples a sentence that offers the name. @param keywords the result of `keywordsOf` */
export function describe(
  random: Random,
  name: Name,
  tld: string,
  keywords: readonly string[],
): string {
  const template = random.pick(templates.get(name.shape) ?? []);
  const offer = { name, tld, keywords, buyer: random.int(name.field.suits.length) };
  let text = template.lead;
  template.parts.forEach(({ slot, text: after }) => {
    text += slot(offer) + after;
  });
  return text;
}

function parse(text: string): Template {
  const [lead = '', ...pieces] = text.split('{');
  const parts = pieces.map((piece) => {
    const [slotName = '', after = ''] = piece.split('}');
    const slot = slots[slotName];
    if (!slot) throw new Error(`a description has an unknown slot "${slotName}"`);
    return { slot, text: after };
  });
  return { lead, parts };
}

/** Capitalizes a name: "BrewPilot", "Brewly", "Cheap-Flights", "GCR". */
function displayName({ shape, label, parts }: Name): string {
  if (shape === 'acronym') return label.toUpperCase();
  if (shape === 'ending') return capitalized(label);
  return parts.map(capitalized).join(shape === 'hyphen' ? '-' : '');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function addWord(keywords: string[], word: string | undefined): void {
  if (word && keywords.length < MAX_KEYWORDS && !keywords.includes(word)) keywords.push(word);
}
