/** Size of a campaign: `short` runs in CI, `full` in `npm run torture`. */
export type Size = 'short' | 'full';

export interface CampaignOptions {
  /** Determines what is sent and when; the timing of the machine still varies. */
  seed: number;
  size: Size;
}

export interface CampaignResult {
  /** Counts of actions, by name. */
  figures: Record<string, number | string>;
  /** Broken guarantees, a sentence each; empty if there are none. */
  findings: string[];
}

export interface Campaign {
  name: string;
  run(options: CampaignOptions): Promise<CampaignResult>;
}
