import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { mintLive } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { found, importListings } from '../../support/search.ts';

/** Nothing is listed but these. */
async function listing(...names: (string | object)[]): Promise<InProcessSandbox> {
  const at = await sandbox({ rateLimits: false });
  await importListings(at, names, { mode: 'replace' });
  return at;
}

const OTHERS = ['quietmeadow.com', 'velora.io', 'zqtx.net', 'tokyodental.com'];

describe('by its words', () => {
  test.each([
    'brew',
    'pilot',
    'brew pilot',
    'brewpilot',
    'brewpilot.com',
    'brewpilot24',
    'https://www.brewpilot.com/about?x=1',
    'pilots',
    'ewpilo',
    'brew-pilot',
    'any zqx or brew ideas?',
    'please show me a nice name for my new website, something with a brew for the pilot',
    'pilot lessons, courses, exams, licenses and simulators',
    '"brew" AND pilot*',
  ])('brewpilot.com is found by %s', async (q) => {
    const at = await listing('brewpilot.com', ...OTHERS);
    expect((await found(at, q))[0]).toBe('brewpilot.com');
  });

  test.each(['velora', 'velor', 'elora'])('a coined name, velora.io, is found by %s', async (q) => {
    const at = await listing('brewpilot.com', ...OTHERS);
    expect(await found(at, q)).toEqual(['velora.io']);
  });

  test('a required TLD is found among many names with other TLDs', async () => {
    const others = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((a) => [
      `${a}zqlk.com`,
      `x${a}zqlk.net`,
      `brew.a${a}`,
      `brew${a}z.io`,
      `brew-${a}x.io`,
    ]);
    const at = await listing(...others, 'brew.io', 'vzqlku.io', 'zqlk-hub.io');
    expect(await found(at, 'zqlk .io')).toEqual(['zqlk-hub.io', 'vzqlku.io']);
    expect(await found(at, 'zqlku')).toContain('vzqlku.io');
    expect((await found(at, 'brew .io'))[0]).toBe('brew.io');
    expect((await found(at, 'brew.az'))[0]).toBe('brew.az');
  });

  test('all words count more than some, the whole name most, and words of any business little', async () => {
    const at = await listing('pilotbrewing.com', 'brewpilothub.com', 'brewpilot.net', 'pilot.com');
    const firstTwo = (await found(at, 'brew pilot')).slice(0, 2);
    expect(firstTwo).toEqual(['brewpilot.net', 'brewpilothub.com']);
    const named = await listing('bestcompany.com', 'coffeeone.com', 'teamshop.io');
    expect((await found(named, 'best coffee company'))[0]).toBe('coffeeone.com');
    expect(await found(named, 'zqxv coffee shop')).toEqual(['coffeeone.com']);
    // One word of several is enough if no name is more relevant.
    expect(await found(named, 'zqxv shop')).toEqual(['teamshop.io']);
  });

  test('names in other scripts are found as they are read', async () => {
    const at = await listing('bücher.de', 'café.com', 'кофе.com', '日本.jp');
    for (const [q, domain] of [
      ['bücher', 'xn--bcher-kva.de'],
      ['BUCHER', 'xn--bcher-kva.de'],
      ['cafe', 'xn--caf-dma.com'],
      ['Кофе', 'xn--e1ajmy.com'],
      ['日本', 'xn--wgv71a.jp'],
    ] as const) {
      expect(await found(at, q), q).toContain(domain);
    }
  });

  test('a domain in a query has its accents', async () => {
    const at = await listing('munchen.de', 'münchen.de');
    for (const q of ['https://münchen.de', 'www.münchen.de', 'münchen.de:443/x', 'buy münchen.de'])
      expect((await found(at, q))[0], q).toBe('xn--mnchen-3ya.de');
  });
});

describe('by its meaning', () => {
  test.each([
    ['caffeine startup', 'espressohub.com'],
    ['lawyer', 'attorneydesk.com'],
    ['physician', 'doctorpoint.com'],
    ['automobile', 'carcrate.com'],
    ['canine', 'puppyshare.com'],
    ['teeth', 'tokyodental.com'],
  ])('%s finds a name that shares no word with it: %s', async (q, domain) => {
    const at = await listing(
      'espressohub.com',
      'attorneydesk.com',
      'doctorpoint.com',
      'carcrate.com',
      'puppyshare.com',
      ...OTHERS,
    );
    expect((await found(at, q))[0]).toBe(domain);
  });

  test('a name that says nothing is found by its category or its keywords, the shorter one first', async () => {
    const at = await listing(
      { domain: 'ilonazavovu.com', category: 'Coffee & Tea' },
      { domain: 'ilona.com', category: 'Coffee & Tea' },
      { domain: 'zavo.com', keywords: ['attorney', 'agencies', 'boxes', 'keys', 'movie'] },
    );
    expect(await found(at, 'caffeine')).toEqual(['ilona.com', 'ilonazavovu.com']);
    for (const q of ['attorney', 'agency', 'box', 'key', 'movies'])
      expect(await found(at, q), q).toEqual(['zavo.com']);
  });

  test('what is written comes before what is meant', async () => {
    const at = await listing('attorneydesk.com', 'lawyerdesk.com', 'solicitordesk.com');
    expect((await found(at, 'lawyer'))[0]).toBe('lawyerdesk.com');
  });

  test('LIVE names without category and keywords are searched the same way', async () => {
    const at = await sandbox({ rateLimits: false });
    const live = await mintLive(at);
    await importListings(at, ['espressohub.com', 'quietmeadow.com'], { environment: 'LIVE' });
    for (const q of ['espresso', 'presso', 'caffeine', 'espressohub']) {
      expect((await found(at, q, live))[0], q).toBe('espressohub.com');
    }
  });
});

describe('endings in a query', () => {
  const COFFEES = [
    'coffeeone.com',
    'coffeetwo.io',
    'coffeethree.io',
    'coffeefour.co.uk',
    'coffee.dev',
  ];
  test.each([
    ['coffee .io', ['coffeetwo.io', 'coffeethree.io']],
    ['.io coffee', ['coffeetwo.io', 'coffeethree.io']],
    ['.co.uk', ['coffeefour.co.uk']],
    ['coffee, ".io".', ['coffeetwo.io', 'coffeethree.io']],
    ['.pizza coffee', []],
  ])('%s', async (q, domains) => {
    const at = await listing(...COFFEES);
    expect((await found(at, q)).toSorted()).toEqual(domains.toSorted());
  });

  test('the ending of a name that is not for sale is liked, not needed', async () => {
    const at = await listing(...COFFEES, 'brewpilot.io', 'brewpilot.net');
    const firstTwo = async (q: string) => (await found(at, q)).slice(0, 2);
    expect(await firstTwo('brewpilot.net')).toEqual(['brewpilot.net', 'brewpilot.io']);
    expect((await found(at, '"brewpilot.net"!'))[0]).toBe('brewpilot.net');
    expect((await firstTwo('brewpilot.org')).toSorted()).toEqual(['brewpilot.io', 'brewpilot.net']);
  });
});

describe('where little or nothing fits', () => {
  test('magic domains are found by their words, never by what these mean', async () => {
    const at = await sandbox({ inventory: 0, rateLimits: false });
    for (const q of ['price moves', 'price-moves.test', 'price']) {
      expect(await found(at, q), q).toContain('price-moves.test');
    }
    for (const q of ['shop', 'cost', 'retail', 'booking'])
      expect(await found(at, q), q).toEqual([]);
  });

  test('fewer than five are returned', async () => {
    const at = await listing('espressohub.com', ...OTHERS);
    expect(await found(at, 'espresso')).toEqual(['espressohub.com']);
  });

  test.each(['zzzzqqqqxxxx', '!!! ???', '🙃', 'the of and'])(
    'nonsense finds nothing in the inventory that everybody has: %s',
    async (q) => {
      const at = await sandbox({ inventory: 5_000, rateLimits: false });
      expect(await found(at, q)).toEqual([]);
    },
  );
});

test('a second sandbox of the same seed finds the same, in the same order', async () => {
  const [one, two] = [await sandbox(), await sandbox()];
  for (const q of ['money', 'caffeine', 'smart home', 'x', '.com']) {
    expect(await found(one, q), q).toEqual(await found(two, q));
  }
});
