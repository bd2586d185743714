import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/**
 * By default, V8 lets the young generation grow to 64 MB. Objects of a request live much shorter than that: with a
 * quarter of it, requests are as fast, and a server uses 80 MB less after 20,000 requests.
 */
const MAX_BYTES = 16 * 1024 * 1024;

/** Limits the young generation of the V8 heap of this process. */
export function limitYoungGeneration(): void {
  // V8 doubles it during collections. Its limit can only be set when a process starts, but its growth can be stopped.
  const observer = new PerformanceObserver(() => {
    if (youngGenerationBytes() < MAX_BYTES) return;
    observer.disconnect();
    v8.setFlagsFromString('--semi-space-growth-factor=1');
  });
  observer.observe({ entryTypes: ['gc'] });
}

export function youngGenerationBytes(): number {
  const spaces = v8.getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
