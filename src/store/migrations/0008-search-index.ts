/**
 * What search reads: per environment the words of what can be bought now, and the trigrams of its names. A
 * listing carries the words of its name, so that nothing is split twice; those of listings from before are
 * read back from the old index, where the name as it is written stood behind its words.
 */
export const searchIndex = `
ALTER TABLE listings ADD COLUMN words TEXT NOT NULL DEFAULT '';

CREATE VIRTUAL TABLE temp.old_instances USING fts5vocab(main, listing_words, instance);
CREATE TABLE temp.old_words AS SELECT doc, "offset" AS place, term FROM temp.old_instances WHERE col = 'name';
CREATE INDEX temp.old_words_of ON old_words (doc, place);
CREATE TABLE temp.old_counts AS SELECT doc, count(*) AS terms FROM temp.old_words GROUP BY doc;
CREATE UNIQUE INDEX temp.old_counts_of ON old_counts (doc);
UPDATE listings SET words = coalesce((
  SELECT group_concat(term, ' ' ORDER BY place) FROM temp.old_words
  WHERE doc = listings.id AND place < (
    SELECT terms FROM temp.old_counts WHERE doc = listings.id
  ) - (
    -- How many words the index saw in the name as it is written: one, and one after each run of hyphens.
    SELECT length(label) - length(replace(replace(label, '--', '-'), '-', '')) + 1
      - (length(label) - length(replace(label, '--', '-')))
    FROM (SELECT substr(domain, 1, length) AS label)
  )), '');
DROP TABLE temp.old_counts;
DROP TABLE temp.old_words;
DROP TABLE temp.old_instances;
DROP TABLE listing_words;

CREATE VIRTUAL TABLE search_sandbox USING fts5(
  name, keywords, category, facts,
  tokenize = 'unicode61 remove_diacritics 2', content = '', contentless_delete = 1
);
CREATE VIRTUAL TABLE search_live USING fts5(
  name, keywords, category, facts,
  tokenize = 'unicode61 remove_diacritics 2', content = '', contentless_delete = 1
);
CREATE VIRTUAL TABLE trigrams_sandbox USING fts5(
  label, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1
);
CREATE VIRTUAL TABLE trigrams_live USING fts5(
  label, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1
);
${['SANDBOX', 'LIVE']
  .map(
    (environment) => `
INSERT INTO search_${environment.toLowerCase()} (rowid, name, keywords, category, facts)
  SELECT id, words, keywords, category,
    'tld' || replace(replace(tld, '.', ''), '-', '') ||
    ' digits' || length(price_cents) || ' price' || length(price_cents) || substr(price_cents, 1, 1) ||
    ' start' || substr(domain, 1, 1) || ' start' || substr(domain, 1, 2)
  FROM listings WHERE environment = '${environment}' AND status = 'listed' ORDER BY id;
INSERT INTO trigrams_${environment.toLowerCase()} (rowid, label)
  SELECT id, substr(domain, 1, length)
  FROM listings WHERE environment = '${environment}' AND status = 'listed' ORDER BY id;`,
  )
  .join('')}
`;
