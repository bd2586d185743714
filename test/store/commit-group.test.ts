import { describe, expect, onTestFinished, test } from 'vitest';
import { CommitGroup, Counters } from '../../src/store/commit-group.ts';
import { closeStore, openMemoryStore } from '../../src/store/open.ts';

/** A group over a table of words, and the hooks that it called. */
function grouped() {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  const { client } = store;
  client.exec('CREATE TABLE words (word TEXT PRIMARY KEY, parent TEXT REFERENCES words)');
  const counters = new Counters(store);
  const calls: string[] = [];
  const group = new CommitGroup(store, counters, {
    onCommitFailed: () => calls.push('lost'),
    onCommitted: () => calls.push('committed'),
  });
  const insert = client.prepare('INSERT INTO words (word, parent) VALUES (?, ?)');
  return {
    client,
    counters,
    group,
    calls,
    write: (word: string, parent: string | null = null) => insert.run(word, parent),
    words: () => client.prepare('SELECT word FROM words ORDER BY word').pluck().all(),
    stored: (name: string) =>
      client.prepare('SELECT value FROM counters WHERE name = ?').pluck().get(name),
    /** Makes the COMMIT of this turn fail: a promise to keep a reference, which is then broken. */
    doom: () => {
      client.pragma('defer_foreign_keys = ON');
      insert.run('doomed', 'nobody');
    },
  };
}

/** One piece of work, as a request does it: resolves once it is committed. */
async function work(
  group: CommitGroup,
  act: () => void,
  how: 'savepoint' | 'withoutSavepoint' = 'savepoint',
): Promise<void> {
  group.begin();
  const { committed } = group;
  try {
    group[how](act);
  } finally {
    await committed;
  }
}

test('the work of one tick is committed once, together', async () => {
  const { group, calls, write, words, client } = grouped();
  const all = Promise.all(['a', 'b', 'c'].map((word) => work(group, () => write(word))));
  expect(client.inTransaction).toBe(true);
  expect(calls).toEqual([]);
  await all;
  expect(client.inTransaction).toBe(false);
  expect(calls).toEqual(['committed']);
  expect(words()).toEqual(['a', 'b', 'c']);
  await work(group, () => write('d'));
  expect(calls).toEqual(['committed', 'committed']);
});

test('a failure undoes its own work and no other', async () => {
  const { group, write, words, calls } = grouped();
  const first = work(group, () => write('a'));
  const second = work(group, () => {
    write('b');
    throw new Error('no');
  });
  const third = work(group, () => write('c'));
  await expect(second).rejects.toThrow('no');
  await Promise.all([first, third]);
  expect(words()).toEqual(['a', 'c']);
  expect(calls).toEqual(['committed']);
});

describe('work that rejects first', () => {
  const trusted = (group: CommitGroup, act: () => void) => work(group, act, 'withoutSavepoint');

  test('has no side effect if it is rejected, and returns what it reserved', async () => {
    const { group, write, words, calls, counters, stored } = grouped();
    const first = trusted(group, () => write(`a${counters.next('ord')}`));
    const second = trusted(group, () => {
      counters.next('ord');
      group.afterCommit(() => calls.push('never'));
      throw new Error('rejected');
    });
    const third = trusted(group, () => write(`b${counters.next('ord')}`));
    await expect(second).rejects.toThrow('rejected');
    await Promise.all([first, third]);
    expect([words(), calls, stored('ord')]).toEqual([['a1', 'b2'], ['committed'], 2]);
  });
});

test('work within work is kept or undone on its own', async () => {
  const { group, write, words } = grouped();
  await work(group, () => {
    write('outer');
    expect(() =>
      group.savepoint(() => {
        write('inner');
        throw new Error('no');
      }),
    ).toThrow('no');
    group.savepoint(() => write('other'));
  });
  expect(words()).toEqual(['other', 'outer']);
});

describe('counters', () => {
  test('go on from what is stored', async () => {
    const { group, counters, stored } = grouped();
    await work(group, () => expect(counters.next('ord')).toBe(1));
    expect(stored('ord')).toBe(1);
    counters.forget();
    await work(group, () => expect([counters.next('ord'), counters.next('ord')]).toEqual([2, 3]));
    expect(stored('ord')).toBe(3);
  });

  test('give back what a failure took, and nothing else', async () => {
    const { group, counters, stored } = grouped();
    const first = work(group, () => expect(counters.next('ord')).toBe(1));
    const failing = work(group, () => {
      expect(counters.next('ord')).toBe(2);
      expect(counters.next('evt')).toBe(1);
      throw new Error('no');
    });
    const third = work(group, () => {
      expect(counters.next('ord')).toBe(2);
      expect(counters.next('qt')).toBe(1);
    });
    await expect(failing).rejects.toThrow('no');
    await Promise.all([first, third]);
    expect([stored('ord'), stored('evt'), stored('qt')]).toEqual([2, undefined, 1]);
  });
});

describe('a commit that fails', () => {
  test('does not affect callers that do not wait for it', async () => {
    const { group, doom, calls } = grouped();
    group.begin();
    doom();
    group.flush();
    expect(calls).toEqual(['lost']);
    await expect(group.committed).resolves.toBeUndefined();
  });
});

test('what is to be done after the commit is done then, in order, unless it was undone', async () => {
  const { group, calls, write } = grouped();
  const later = (word: string) => group.afterCommit(() => calls.push(word));
  const kept = work(group, () => {
    write('a');
    later('one');
  });
  const undone = work(group, () => {
    later('never');
    throw new Error('no');
  });
  const last = work(group, () => later('two'));
  expect(calls).toEqual([]);
  await expect(undone).rejects.toThrow();
  await Promise.all([kept, last]);
  expect(calls).toEqual(['one', 'two', 'committed']);
});

test('flush commits at once, and does nothing when there is nothing', () => {
  const { group, write, words, calls, client } = grouped();
  group.flush();
  expect(calls).toEqual([]);
  group.begin();
  write('a');
  group.flush();
  expect(client.inTransaction).toBe(false);
  expect(calls).toEqual(['committed']);
  expect(words()).toEqual(['a']);
});

test('outside its tick it cannot be used', () => {
  const { group } = grouped();
  expect(() => group.savepoint(() => {})).toThrow('outside its tick');
  expect(() => group.afterCommit(() => {})).toThrow('outside its tick');
});

test('work that is requested per tick is done once, unless its caller was rolled back', () => {
  const { group } = grouped();
  let calls = 0;
  const tell = () => {
    calls += 1;
  };
  group.begin();
  expect(() =>
    group.savepoint(() => {
      group.onceAfterCommit(tell);
      throw new Error('undone');
    }),
  ).toThrow('undone');
  group.flush();
  expect(calls).toBe(0);
  group.begin();
  for (let n = 0; n < 3; n += 1) group.savepoint(() => group.onceAfterCommit(tell));
  group.flush();
  expect(calls).toBe(1);
});
