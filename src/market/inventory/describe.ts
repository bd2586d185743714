import templateData from '../../../fixtures/lexicon/descriptions.json' with { type: 'json' };
import type { Random } from '../../kernel/random.ts';
import type { Name } from './name-patterns.ts';

/** What a description can speak of. */
interface Offer {
  name: Name;
  tld: string;
  keywords: readonly string[];
  /** Which of the field's buyers to address. */
  buyer: number;
}

type Slot = (offer: Offer) => string;

/** Text and slots in turn: "A {n}-letter name." → "A ", then the slot "n" with "-letter name.". */
interface Template {
  lead: string;
  rest: readonly { slot: Slot; text: string }[];
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
 * Words under which a buyer may look for the name: its own, then near ones of its field.
 * @param wordRank place of the name's own word in its field's list, -1 when it has none
 * @returns two to six lower-case words, none twice, at least two of them not in the name
 */
export function keywordsOf(random: Random, name: Name, wordRank: number): string[] {
  const { words, tails } = name.field;
  const count = words.length;
  const keywords = name.about.slice();
  // Kindred words stand side by side in the lexicon; the name itself may use one of the three.
  const near = wordRank >= 0 ? wordRank : random.int(count);
  addWord(keywords, words[(near + 1) % count]);
  addWord(keywords, words[(near + count - 1) % count]);
  if (keywords.length < name.about.length + 2) addWord(keywords, words[(near + 2) % count]);
  addWord(keywords, words[random.int(4)]);
  addWord(keywords, random.pick(tails));
  return keywords;
}

/** One sentence that offers the name; `keywords` as `keywordsOf` gave them. */
export function describe(
  random: Random,
  name: Name,
  tld: string,
  keywords: readonly string[],
): string {
  const template = random.pick(templates.get(name.shape) ?? []);
  const offer = { name, tld, keywords, buyer: random.int(name.field.suits.length) };
  let text = template.lead;
  template.rest.forEach(({ slot, text: after }) => {
    text += slot(offer) + after;
  });
  return text;
}

function parse(text: string): Template {
  const [lead = '', ...pieces] = text.split('{');
  const rest = pieces.map((piece) => {
    const [slotName = '', after = ''] = piece.split('}');
    const slot = slots[slotName];
    if (!slot) throw new Error(`a description has an unknown slot "${slotName}"`);
    return { slot, text: after };
  });
  return { lead, rest };
}

/** The name as its owner would write it: "BrewPilot", "Brewly", "Cheap-Flights", "GCR". */
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
