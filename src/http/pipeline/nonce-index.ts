/** Slots of a new table; it doubles before it is three quarters full. */
const FIRST_SLOTS = 1_024;

/**
 * When nonces were used, by 52 bits of a hash: 24 bytes each, so that ten minutes at full speed fit in memory.
 * That two nonces in use at a time share a hash is less likely than one in a billion.
 */
export class NonceIndex {
  #older = new Table();
  #newer = new Table();
  #turnedAt = Number.NEGATIVE_INFINITY;
  readonly #trackedMs: number;

  constructor(trackedMs: number) {
    this.#trackedMs = trackedMs;
  }

  /** Whether a nonce was used in the time that it is tracked. @param now real time, Unix ms */
  wasUsed(hash: number, now: number): boolean {
    return (
      this.#isTracked(this.#newer.get(hash), now) || this.#isTracked(this.#older.get(hash), now)
    );
  }

  use(hash: number, now: number): void {
    if (now - this.#turnedAt > this.#trackedMs) {
      this.#older = this.#newer;
      this.#newer = new Table();
      this.#turnedAt = now;
    }
    this.#newer.set(hash, now);
  }

  #isTracked(at: number | undefined, now: number): boolean {
    // Whole numbers of 32 bits go round every 49 days; a nonce of the future is in use too.
    return at !== undefined && ((now - at) | 0) < this.#trackedMs;
  }
}

/** 52 bits of a text; never 0, which marks an empty slot. */
export function hashOf(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x9e3779b1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
    b = (b << 13) | (b >>> 19);
  }
  a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35) ^ (a >>> 16);
  return (a >>> 12) * 2 ** 32 + (b >>> 0) || 1;
}

/** Open addressing: a hash, and 32 bits of a time. */
class Table {
  #hashes = new Float64Array(FIRST_SLOTS);
  #times = new Uint32Array(FIRST_SLOTS);
  #used = 0;

  get(hash: number): number | undefined {
    const slot = this.#slotOf(hash);
    return this.#hashes[slot] === hash ? this.#times[slot] : undefined;
  }

  set(hash: number, time: number): void {
    if (this.#used * 4 >= this.#hashes.length * 3) this.#grow();
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] !== hash) this.#used += 1;
    this.#hashes[slot] = hash;
    this.#times[slot] = time;
  }

  /** Where the hash is, or would be put. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = (hash % 4_294_967_291) & mask;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [hashes, times] = [this.#hashes, this.#times];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#times = new Uint32Array(times.length * 2);
    this.#used = 0;
    for (const [slot, hash] of hashes.entries()) {
      if (hash !== 0) this.set(hash, times[slot] ?? 0);
    }
  }
}
